import { FULL_ACCESS, type Mapped, NO_SUCH_SETTING, SECRET, UNKNOWN_VALUE } from "./imported-settings.ts";
import { isTable, type TomlTable, type TomlValue } from "./read-toml.ts";

const MODES: Readonly<Record<string, string>> = { "read-only": "readOnly", "workspace-write": "workspaceWrite" };
const APPROVALS: Readonly<Record<string, string>> = {
	untrusted: "untrusted",
	"on-request": "onRequest",
	never: "never",
};
const WIRES: Readonly<Record<string, string>> = { chat: "chat", responses: "responses" };
/** Fields of a server that ours has, too, or that say how it is reached. */
const SERVER_FIELDS = ["command", "args", "cwd", "url", "enabled"];
const SERVER_SECRETS = ["env", "http_headers", "bearer_token", "bearer_token_env_var", "env_http_headers", "env_vars"];

type Map = (value: TomlValue, table: TomlTable) => Mapped;

const MAPS: Readonly<Record<string, Map>> = {
	model: (value, { model_provider: provider }) =>
		provider === undefined || provider === "openai"
			? { "model.provider": "openai", "model.id": value }
			: { "model.id": `${provider}/${value}` },
	model_reasoning_effort: (value) => ({ "model.reasoningEffort": value }),
	model_reasoning_summary: (value) => ({ "model.reasoningSummary": value }),
	model_verbosity: (value) => ({ "model.verbosity": value }),
	model_context_window: (value) => ({ "model.contextWindow": value }),
	model_auto_compact_token_limit: (value) => ({ "compaction.limit": value }),
	developer_instructions: (value) => ({ "instructions.developer": value }),
	compact_prompt: (value) => ({ "instructions.compactPrompt": value }),
	project_doc_fallback_filenames: (value) => ({ "instructions.fallbacks": value }),
	approval_policy: (value) => choose(APPROVALS, value, (approval) => ({ approval })),
	sandbox_mode: (value) =>
		value === "danger-full-access" ? FULL_ACCESS : choose(MODES, value, (mode) => ({ "permissions.mode": mode })),
};

/** The settings of Codex's `config.toml` as ours, one after the other. */
export function mapCodex(table: TomlTable): readonly (readonly [name: string, to: Mapped])[] {
	return Object.entries(table).flatMap(([name, value]) => {
		if (name === "model_provider") return [];
		if (name === "sandbox_workspace_write" && isTable(value)) return mapWriting(value);
		if (name === "mcp_servers" && isTable(value)) return mapTables(name, value, mapServer);
		if (name === "model_providers" && isTable(value)) return mapTables(name, value, mapProvider);
		const map = Object.hasOwn(MAPS, name) ? MAPS[name] : undefined;
		return [[name, map?.(value, table) ?? NO_SUCH_SETTING] as const];
	});
}

function mapWriting(table: TomlTable): readonly (readonly [string, Mapped])[] {
	return Object.entries(table).map(([key, value]) => {
		const name = `sandbox_workspace_write.${key}`;
		if (key === "network_access") return [name, { "permissions.network": value === true ? "on" : "off" }];
		return [name, key === "writable_roots" ? { "permissions.writableRoots": value } : NO_SUCH_SETTING];
	});
}

type MapTable = (name: string, table: TomlTable) => Mapped;

function mapTables(group: string, tables: TomlTable, map: MapTable): readonly (readonly [string, Mapped])[] {
	return Object.entries(tables).flatMap(([name, table]) => {
		const shown = `${group}.${name}`;
		if (!isTable(table)) return [[shown, UNKNOWN_VALUE] as const];
		const secrets = [...SERVER_SECRETS, "query_params"].filter((field) => field in table);
		return [[shown, map(name, table)] as const, ...secrets.map((field) => [`${shown}.${field}`, SECRET] as const)];
	});
}

/** Keys are often among the arguments, or in the address. */
const HOLDS_SECRET = /key|token|secret|passw|bearer|:\/\/[^/]*@|[?&][^=]+=/i;

function mapServer(name: string, table: TomlTable): Mapped {
	if (HOLDS_SECRET.test(JSON.stringify([table.args, table.url]))) return SECRET;
	const kept = Object.entries(table).filter(([field]) => SERVER_FIELDS.includes(field));
	return { servers: { [name]: Object.fromEntries(kept) } };
}

function mapProvider(name: string, { base_url: baseUrl, wire_api: wire = "responses" }: TomlTable): Mapped {
	return choose(WIRES, wire, (known) => ({ providers: { [name]: { wire: known, baseUrl } } }));
}

function choose(table: Readonly<Record<string, string>>, value: TomlValue, use: (known: string) => Mapped): Mapped {
	const known = typeof value === "string" && Object.hasOwn(table, value) ? table[value] : undefined;
	return known === undefined ? UNKNOWN_VALUE : use(known);
}
