import assert from "node:assert/strict";
import { test } from "node:test";
import { describeImported, describeLeftOut } from "../../../../../extension/commands/import/describe-imported.ts";
import { collectImported, joinValues } from "../../../../../extension/commands/import/imported-settings.ts";
import { mapClaudeCode } from "../../../../../extension/commands/import/map-claude-code.ts";
import { mapCodex } from "../../../../../extension/commands/import/map-codex.ts";
import { readToml } from "../../../../../extension/commands/import/read-toml.ts";

const DEFAULTS: Readonly<Record<string, unknown>> = {
	"permissions.mode": "workspaceWrite",
	"permissions.network": "off",
	approval: "onRequest",
};
const inForce = (changed: Readonly<Record<string, unknown>>) => (id: string) => ({ ...DEFAULTS, ...changed })[id];

function fromCodex(text: string, changed: Readonly<Record<string, unknown>> = {}) {
	const { settings, leftOut } = collectImported(mapCodex(readToml(text)), inForce(changed));
	const list = (isWide: boolean) => settings.filter(({ widens }) => widens === isWide).map(describeImported);
	return { taken: list(false), asked: list(true), leftOut: leftOut.map(describeLeftOut) };
}

function fromClaudeCode(json: object) {
	const { settings, leftOut } = collectImported(mapClaudeCode({ ...json }), inForce({}));
	const list = (isWide: boolean) => settings.filter(({ widens }) => widens === isWide).map(describeImported);
	return { taken: list(false), asked: list(true), leftOut: leftOut.map(describeLeftOut) };
}

test("Codex settings become ours; the user confirms added access, and settings without a counterpart are named", () => {
	const text = `
model = "gpt-5.1-codex"
model_reasoning_effort = "high"
approval_policy = "untrusted"
sandbox_mode = "read-only"
notify = ["say", "done"]
developer_instructions = "Be brief."
[sandbox_workspace_write]
network_access = true
writable_roots = ["/srv/data"]
[model_providers.local]
base_url = "http://127.0.0.1:8080/v1"
wire_api = "chat"
env_key = "LOCAL_KEY"
[mcp_servers.docs]
command = "docs-server"
args = ["--stdio"]
env = { DOCS_KEY = "canary-secret" }
[mcp_servers.paid]
command = "paid"
args = ["--api-key", "canary-secret"]
`;
	assert.deepEqual(fromCodex(text), {
		taken: [
			'vitrine.model.provider: "openai"',
			'vitrine.model.id: "gpt-5.1-codex"',
			'vitrine.model.reasoningEffort: "high"',
			'vitrine.approval: "untrusted"',
			'vitrine.permissions.mode: "readOnly"',
			'vitrine.instructions.developer: "Be brief."',
		],
		asked: [
			'vitrine.permissions.network: "on"',
			'vitrine.permissions.writableRoots: ["/srv/data"]',
			'vitrine.providers: {"local":{"wire":"chat","baseUrl":"http://127.0.0.1:8080/v1"}}',
			'vitrine.servers: {"docs":{"command":"docs-server","args":["--stdio"]}}',
		],
		leftOut: [
			"notify (no such setting in Vitrine)",
			"mcp_servers.docs.env (may contain secrets)",
			"mcp_servers.paid (may contain secrets)",
		],
	});
});

test("no secret value appears in anything that is imported or shown", () => {
	const text =
		'[mcp_servers.a]\nurl = "https://ada:canary@example.org/mcp"\n[mcp_servers.b]\nurl = "https://x.org/?k=canary"\n[mcp_servers.c]\nurl = "https://x.org/mcp"\nbearer_token = "canary"\n';
	const env = { env: { ANTHROPIC_API_KEY: "canary" }, apiKeyHelper: "echo canary" };
	const all = JSON.stringify([
		fromCodex(text),
		fromClaudeCode(env),
		collectImported(mapCodex(readToml(text)), inForce({})),
	]);
	assert.equal(all.includes("canary"), false);
});

test("full access is never imported, and a freer mode than the one in force only if it is selected", () => {
	assert.deepEqual(fromCodex('sandbox_mode = "danger-full-access"\n'), {
		taken: [],
		asked: [],
		leftOut: ["sandbox_mode (Full Access can only be granted to a single thread)"],
	});
	assert.deepEqual(fromCodex('sandbox_mode = "workspace-write"\n', { "permissions.mode": "readOnly" }), {
		taken: [],
		asked: ['vitrine.permissions.mode: "workspaceWrite"'],
		leftOut: [],
	});
	assert.deepEqual(fromCodex('approval_policy = "on-request"\n', { approval: "untrusted" }).asked, [
		'vitrine.approval: "onRequest"',
	]);
});

test("Claude Code settings become ours; deny rules are taken over, and the user confirms allow rules", () => {
	const settings = {
		$schema: "https://json.schemastore.org/claude-code-settings.json",
		model: "claude-opus-5",
		permissions: {
			defaultMode: "plan",
			allow: ["Bash(npm test:*)", "Bash(npm run build)", "WebFetch"],
			deny: ["Bash(curl:*)", "Read(~/.aws/**)", "Read(./.env)"],
			additionalDirectories: ["/srv"],
		},
		env: { A: "b" },
		outputStyle: "Terse",
	};
	assert.deepEqual(fromClaudeCode(settings), {
		taken: [
			'vitrine.model.provider: "anthropic"',
			'vitrine.model.id: "claude-opus-5"',
			'vitrine.modes.collaboration: "plan"',
			'vitrine.permissions.rules: [{"prefix":["curl"],"decision":"deny"}]',
			'vitrine.permissions.denyRead: ["~/.aws"]',
		],
		asked: [
			'vitrine.permissions.rules: [{"prefix":["npm","test"],"decision":"allow"}]',
			'vitrine.permissions.writableRoots: ["/srv"]',
		],
		leftOut: [
			"permissions.allow: Bash(npm run build) (Vitrine's rules match the beginning of a command)",
			"permissions.allow: WebFetch (no such setting in Vitrine)",
			"permissions.deny: Read(./.env) (no such setting in Vitrine)",
			"env (may contain secrets)",
			"outputStyle (no such setting in Vitrine)",
		],
	});
});

test("existing settings stay: lists and tables are extended, and a known name keeps its value", () => {
	const mine = { a: { command: "mine" } };
	assert.deepEqual(joinValues(mine, { a: { command: "theirs" }, b: { command: "b" } }), {
		a: { command: "mine" },
		b: { command: "b" },
	});
	assert.deepEqual(joinValues(["/a"], ["/a", "/b"]), ["/a", "/b"]);
	assert.equal(joinValues("ask", "readOnly"), "readOnly");
	assert.equal(joinValues(undefined, "readOnly"), "readOnly");
});

test("a value that our own setting would refuse is left out", () => {
	assert.deepEqual(fromCodex('model_reasoning_effort = "extreme"\nmodel_context_window = -1\n').leftOut, [
		"model_reasoning_effort (no such value in Vitrine)",
		"model_context_window (no such value in Vitrine)",
	]);
});
