import * as vscode from "vscode";
import type { LedgerEntry } from "../../agent-host/protocol/approval/ledger.ts";
import { describeIssue } from "../../agent-host/protocol/describe-issue.ts";
import { placeModel } from "../../agent-host/protocol/settings/model-place.ts";
import type { CommandRule, ServerToolRule } from "../../agent-host/protocol/settings/policy-settings.ts";
import type { ProviderSettings, ProvidersSettings } from "../../agent-host/protocol/settings/provider-settings.ts";
import { ModelSettings, PartialSettings, type Settings } from "../../agent-host/protocol/settings/settings.ts";
import { type Message, t } from "../../l10n/t.ts";
import { ownSetting } from "./own-setting.ts";
import {
	PERMISSION_KEYS,
	type PermissionKey,
	type ResolvedPermissions,
	resolvePermissions,
	type ScopedPermissions,
	type ScopedValue,
	settingId,
} from "./permissions.ts";

const MODEL_KEYS = [
	"provider",
	"wire",
	"auth",
	"baseUrl",
	"id",
	"contextWindow",
	"effectivePercent",
	"reasoningEffort",
	"reasoningSummary",
	"serviceTier",
	"verbosity",
	"prices",
	"rereadWarning",
] as const satisfies readonly (keyof ModelSettings)[];

const COMPACTION_KEYS = [
	"auto",
	"percent",
	"limit",
	"strategy",
	"keepUserPercent",
	"model",
] as const satisfies readonly (keyof Settings["compaction"])[];

const MODE_KEYS = ["collaboration", "personality"] as const satisfies readonly (keyof Settings["modes"])[];

const RETRY_KEYS = ["attempts", "idleMs", "baseDelayMs"] as const satisfies readonly (keyof Settings["retry"])[];

const INSTRUCTION_KEYS = [
	"base",
	"developer",
	"compactPrompt",
	"fallbacks",
] as const satisfies readonly (keyof Settings["instructions"])[];

const TOOL_KEYS = ["plan", "applyPatch", "agentDepth"] as const satisfies readonly (keyof Settings["tools"])[];

const TELEMETRY_KEYS = ["endpoint", "content"] as const satisfies readonly (keyof Settings["telemetry"])[];

const SKILL_KEYS = ["enabled", "off"] as const satisfies readonly (keyof Settings["skills"])[];
const SANDBOX_KEYS = ["probeOnStart"] as const satisfies readonly (keyof Settings["sandbox"])[];

const BUDGET_KEYS = ["turn", "thread", "day", "agent"] as const satisfies readonly (keyof Settings["budgets"])[];

/** Invalid limits must not count as no limits. */
const CLOSED_BUDGETS: PartialSettings = { budgets: { turn: { requests: 1 } } };

export interface SettingsRead {
	/** In the form that the host expects. */
	readonly settings: PartialSettings;
	/** With the address of its provider. */
	readonly model: ModelSettings;
	readonly providers: ProvidersSettings;
	/** Problems and what applies instead, one sentence each. */
	readonly problems: readonly string[];
}

/** Reads the `vitrine.*` settings. A group with an invalid value is left out and reported; permissions fail closed. */
export function readSettings(): SettingsRead {
	const groups = [
		readGroup("model", MODEL_KEYS, "The demo model is used until it is fixed."),
		readGroup("compaction", COMPACTION_KEYS, "The defaults apply until it is fixed."),
		readGroup("modes", MODE_KEYS, "The defaults apply until it is fixed."),
		readGroup("retry", RETRY_KEYS, "The defaults apply until it is fixed."),
		readGroup("instructions", INSTRUCTION_KEYS, "The defaults apply until it is fixed."),
		readGroup("tools", TOOL_KEYS, "The defaults apply until it is fixed."),
		readGroup("sandbox", SANDBOX_KEYS, "The defaults apply until it is fixed."),
		readGroup("skills", SKILL_KEYS, "No skill is used until it is fixed.", { skills: { enabled: false } }),
		readGroup("telemetry", TELEMETRY_KEYS, "Nothing is sent until it is fixed."),
		readSingle("usageBaseline", "The defaults apply until it is fixed."),
		readSingle("servers", "No MCP server is used until it is fixed."),
		readSingle("editorTools", "No tool of the editor is used until it is fixed."),
		readSingle("providers", "No other provider is used until it is fixed."),
		readGroup("budgets", BUDGET_KEYS, "Turns are limited to one request until it is fixed.", CLOSED_BUDGETS),
	];
	const { permissions, approval, problems } = readPermissions();
	const settings: PartialSettings = Object.assign({ permissions, approval }, ...groups.map(({ partial }) => partial));
	const providers = settings.providers ?? {};
	return {
		settings,
		model: ModelSettings.parse(placeModel(settings.model ?? {}, providers)),
		providers,
		problems: [...groups.flatMap(({ problem }) => problem ?? []), ...problems],
	};
}

export function watchSettings(changed: () => void): vscode.Disposable {
	return vscode.workspace.onDidChangeConfiguration((event) => {
		if (event.affectsConfiguration("vitrine")) changed();
	});
}

export async function writeModelSettings(model: {
	readonly provider: ModelSettings["provider"];
	readonly wire?: ModelSettings["wire"] | undefined;
	readonly auth?: ModelSettings["auth"] | undefined;
	readonly baseUrl?: string | undefined;
	readonly id?: string;
}): Promise<void> {
	const configuration = vscode.workspace.getConfiguration("vitrine.model");
	const target = vscode.ConfigurationTarget.Global;
	// The provider is written last, so that an incomplete choice has no effect.
	await configuration.update("wire", model.wire === "responses" ? undefined : model.wire, target);
	await configuration.update("auth", model.auth === "chatgpt" ? model.auth : undefined, target);
	await configuration.update("baseUrl", model.baseUrl || undefined, target);
	await configuration.update("id", model.id || undefined, target);
	await configuration.update("provider", model.provider, target);
}

/** Configures a provider under a name, beside others, and chooses one of its models. */
export async function writeProviderModel(name: string, provider: ProviderSettings, id: string): Promise<void> {
	const providers = readProviders();
	const configuration = vscode.workspace.getConfiguration("vitrine");
	const target = vscode.ConfigurationTarget.Global;
	// What the user wrote under this name stays.
	if (!Object.hasOwn(providers, name)) {
		await configuration.update("providers", { ...providers, [name]: provider }, target);
	}
	await configuration.update("model.id", `${name}/${id}`, target);
}

/** The providers of the user settings, to be written again; what has another form is kept. */
function readProviders(): object {
	const saved = ownSetting(PROVIDERS) ?? {};
	if (typeof saved === "object" && !Array.isArray(saved)) return saved;
	throw new Error(t("The setting {0} is not an object. Correct it first.", PROVIDERS));
}

const PROVIDERS = "vitrine.providers";
const RULES = "vitrine.permissions.rules";
const HOSTS = "vitrine.permissions.allowedDomains";
const SERVER_TOOLS = "vitrine.permissions.serverTools";

/** A list of the user settings that is to be written again; one in another form, which may deny something, is kept. */
function readList(id: string): readonly unknown[] {
	const saved = ownSetting(id) ?? [];
	if (Array.isArray(saved)) return saved;
	throw new Error(t("The setting {0} is not a list. Correct it first.", id));
}

/** One change after the other: each finds the list as the one before has left it. */
let lastChange: Promise<unknown> = Promise.resolve();

function inOrder(change: () => Promise<void>): Promise<void> {
	const changed = lastChange.then(change);
	lastChange = changed.catch(() => undefined);
	return changed;
}

/** Adds rules for commands to the user settings. */
export function writeRules(rules: readonly CommandRule[]): Promise<void> {
	return inOrder(async () => {
		const configuration = vscode.workspace.getConfiguration("vitrine.permissions");
		const saved = readList(RULES);
		const added = rules.filter((rule) => !saved.some((other) => isSameRule(other, rule)));
		if (added.length > 0) await configuration.update("rules", [...saved, ...added], vscode.ConfigurationTarget.Global);
	});
}

/** Adds a tool of an MCP server that is called without asking to the user settings; it replaces one that was described in another way. */
export function writeServerTool(rule: ServerToolRule): Promise<void> {
	return inOrder(() =>
		updateServerTools([...readList(SERVER_TOOLS).filter((other) => !isSameTool(other, rule)), rule]),
	);
}

/** Removes it; the tool needs approval again. */
export function removeServerTool(rule: ServerToolRule): Promise<void> {
	return inOrder(() => updateServerTools(readList(SERVER_TOOLS).filter((other) => !isSameTool(other, rule))));
}

async function updateServerTools(rules: readonly unknown[]): Promise<void> {
	const configuration = vscode.workspace.getConfiguration("vitrine.permissions");
	await configuration.update("serverTools", rules.length === 0 ? undefined : rules, vscode.ConfigurationTarget.Global);
}

function savedServerTools(): readonly unknown[] {
	const saved = ownSetting(SERVER_TOOLS);
	return Array.isArray(saved) ? saved : [];
}

function isSameTool(saved: unknown, { server, tool }: ServerToolRule): boolean {
	const other = Object(saved) as Partial<Record<keyof ServerToolRule, unknown>>;
	return other.server === server && other.tool === tool;
}

/** Adds paths that commands may read to the user settings. */
export function writeReading(paths: readonly string[]): Promise<void> {
	return inOrder(async () => {
		const entries = readList("vitrine.permissions.filesystem");
		const known = new Set(entries.map((entry) => JSON.stringify(entry)));
		const opened = paths.map((path) => ({ path, access: "read" })).filter((entry) => !known.has(JSON.stringify(entry)));
		if (opened.length === 0) return;
		const configuration = vscode.workspace.getConfiguration("vitrine.permissions");
		await configuration.update("filesystem", [...entries, ...opened], vscode.ConfigurationTarget.Global);
	});
}

/** Adds an allowed host to the user settings. */
export function writeHost(rule: string): Promise<void> {
	return inOrder(async () => {
		if (!isSavedHost(rule)) await updateHosts([...readList(HOSTS), rule]);
	});
}

/** Removes a host from the user settings, so that it is asked about again. */
export function removeHost(rule: string): Promise<void> {
	return inOrder(() => updateHosts(readList(HOSTS).filter((other) => other !== rule)));
}

function isSavedHost(rule: string): boolean {
	return savedHosts().includes(rule);
}

function savedHosts(): readonly unknown[] {
	const saved = ownSetting(HOSTS);
	return Array.isArray(saved) ? saved : [];
}

async function updateHosts(hosts: readonly unknown[]): Promise<void> {
	const configuration = vscode.workspace.getConfiguration("vitrine.permissions");
	const value = hosts.length === 0 ? undefined : hosts;
	await configuration.update("allowedDomains", value, vscode.ConfigurationTarget.Global);
}

/** Removes rules from the user settings; the commands need approval again. */
export function removeRules(removed: readonly CommandRule[]): Promise<void> {
	return inOrder(async () => {
		const rules = readList(RULES).filter((other) => !removed.some((rule) => isSameRule(other, rule)));
		const configuration = vscode.workspace.getConfiguration("vitrine.permissions");
		await configuration.update("rules", rules.length === 0 ? undefined : rules, vscode.ConfigurationTarget.Global);
	});
}

/** Whether the rule or host that a decision added is still in the user settings. */
export function isSaved({
	decision,
	rules = [],
	host,
	serverTool,
}: Pick<LedgerEntry, "decision" | "rules" | "host" | "serverTool">): boolean {
	const isRuled =
		(decision !== "deny" && rules.some((rule) => savedRules().some((other) => isSameRule(other, rule)))) ||
		(serverTool !== undefined && savedServerTools().some((other) => isSameTool(other, serverTool)));
	return isRuled || (host !== undefined && isSavedHost(host));
}

function savedRules(): readonly unknown[] {
	const saved = ownSetting(RULES);
	return Array.isArray(saved) ? saved : [];
}

function isSameRule(a: unknown, b: CommandRule): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}

interface GroupRead {
	readonly partial: PartialSettings;
	readonly problem?: string;
}

/** Settings that are in no group. */
function readSingle(name: "usageBaseline" | "servers" | "providers" | "editorTools", instead: Message): GroupRead {
	const value = ownSetting(`vitrine.${name}`);
	return parseGroup(value === undefined ? {} : { [name]: value }, instead);
}

function readGroup(
	group:
		| "model"
		| "compaction"
		| "modes"
		| "retry"
		| "instructions"
		| "tools"
		| "sandbox"
		| "skills"
		| "telemetry"
		| "budgets",
	keys: readonly string[],
	/** What applies if a value is invalid: the sentence, and the value. */
	instead: Message,
	closed: PartialSettings = {},
): GroupRead {
	const raw = Object.fromEntries(
		keys
			.map((key) => [key, ownSetting(`vitrine.${group}.${key}`)])
			.filter(([, value]) => value !== "" && value !== undefined),
	);
	return parseGroup({ [group]: raw }, instead, closed);
}

function parseGroup(raw: unknown, instead: Message, closed: PartialSettings = {}): GroupRead {
	const parsed = PartialSettings.safeParse(raw);
	if (parsed.success) return { partial: parsed.data };
	const [issue] = parsed.error.issues;
	const id = `vitrine.${issue?.path.join(".") ?? ""}`;
	return {
		partial: closed,
		problem: t("The setting {0} is not valid: {1}. {2}", id, issue ? describeIssue(issue) : t("unknown"), t(instead)),
	};
}

function readPermissions(): ResolvedPermissions {
	// The keys of the table are the keys of the record.
	const scoped = Object.fromEntries(PERMISSION_KEYS.map((key) => [key, readScopes(key)])) as ScopedPermissions;
	return resolvePermissions(scoped, vscode.workspace.isTrusted ? "trusted" : "restricted");
}

function readScopes(key: PermissionKey): ScopedValue {
	const id = settingId(key);
	const found = vscode.workspace.getConfiguration().inspect<unknown>(id);
	const folders = vscode.workspace.workspaceFolders ?? [];
	const ofFolders = folders.map(
		({ uri }) => vscode.workspace.getConfiguration(undefined, uri).inspect<unknown>(id)?.workspaceFolderValue,
	);
	return { user: found?.globalValue, workspace: [found?.workspaceValue, ...ofFolders] };
}
