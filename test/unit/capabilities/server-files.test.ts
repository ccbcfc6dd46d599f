// biome-ignore-all lint/suspicious/noTemplateCurlyInString: files are written so.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { listServersFiles, loadServersFile } from "../../../agent-host/capabilities/servers/find-files.ts";
import { parseServersFile } from "../../../agent-host/capabilities/servers/parse-file.ts";
import { asServersCustomization } from "../../../agent-host/capabilities/servers/trust.ts";
import { fillVariables, findVariables } from "../../../agent-host/capabilities/servers/variables.ts";
import { stripComments } from "../../../agent-host/capabilities/strip-comments.ts";
import { ServerSettings } from "../../../agent-host/protocol/settings/server-settings.ts";

test("comments and trailing commas are ignored, and text inside strings is kept", () => {
	const text = '{ // one\n"a": "//not /*this*/ ,]", /* two\nlines */ "b": [1, 2, /*x*/ ], "c": "\\"//", }';
	assert.deepEqual(JSON.parse(stripComments(text)), { a: "//not /*this*/ ,]", b: [1, 2], c: '"//' });
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			const json = JSON.stringify(value);
			assert.equal(stripComments(json), json);
		}),
	);
});

test("files of VS Code and of other agents are read the same way, and unusable parts are named with the reason", () => {
	const servers = {
		files: { command: "node", args: ["${workspaceFolder}/server.mjs"], sandboxEnabled: false, dev: { watch: "x" } },
		web: { type: "http", url: "https://mcp.example.org/", headers: { authorization: "Bearer ${input:token}" } },
		away: { command: "x", disabled: true },
		"has spaces": { command: "x" },
		secretive: { command: "x", envFile: ".env" },
		helped: { url: "https://a.example/", headersHelper: "get-token" },
		odd: { command: "${command:pick}" },
		broken: { args: [] },
	};
	const inputs = [
		{ id: "token", type: "promptString", description: "A token", password: true },
		{ id: "size", type: "pickString", options: ["s", { label: "Large", value: "l" }], default: "s" },
		{ id: "run", type: "command", command: "x" },
	];
	const own = parseServersFile(JSON.stringify({ servers, inputs }), ".vscode/mcp.json");
	assert.ok(typeof own !== "string");
	assert.deepEqual(Object.keys(own.servers), ["files", "web", "away"]);
	assert.deepEqual(own.inputs, [
		{ id: "token", description: "A token", password: true },
		{ id: "size", password: false, default: "s", options: ["s", "l"] },
	]);
	const { files, away } = own.servers;
	assert.ok(files && "command" in files && files.sandboxEnabled, "a workspace does not leave the sandbox");
	assert.equal(away?.enabled, false);
	assert.deepEqual(
		own.problems.map((line) => line.replace(/^\S+: /, "")),
		[
			"an input is not used: the type command is not supported.",
			"has spaces is not used: its name must be made of letters, digits, dots, dashes and underscores.",
			"secretive is not used: envFile is not supported; use env or headers.",
			"helped is not used: headersHelper is not supported; use env or headers.",
			"odd is not used: ${command:pick} is not supported.",
			"broken is not used: it has no command and no url.",
		],
	);
	const others = parseServersFile(JSON.stringify({ mcpServers: { web: servers.web } }), ".mcp.json");
	assert.ok(typeof others !== "string" && others.servers.web !== undefined);
	assert.equal(parseServersFile("{", "x"), "it is not valid JSON with servers");
	fc.assert(fc.property(fc.jsonValue(), (value) => void parseServersFile(JSON.stringify({ servers: value }), "x")));
});

test("variables are found wherever a value may stand, filled once, and not expanded again", () => {
	const settings = ServerSettings.parse({
		command: "${userHome}/bin/x",
		args: ["--key", "${input:key}", "${env:HOST}:${PORT:-80}"],
		env: { A: "${A}" },
		cwd: "${workspaceFolder}/sub",
	});
	assert.deepEqual(
		[...findVariables(settings)],
		[
			["userHome", { kind: "home" }],
			["input:key", { kind: "input", id: "key" }],
			["env:HOST", { kind: "environment", name: "HOST" }],
			["PORT:-80", { kind: "environment", name: "PORT", otherwise: "80" }],
			["A", { kind: "environment", name: "A" }],
			["workspaceFolder", { kind: "folder" }],
		],
	);
	const values = new Map([...findVariables(settings).keys()].map((text) => [text, "${env:SECRET}"]));
	const filled = fillVariables(settings, values);
	assert.ok("command" in filled);
	assert.deepEqual(
		[filled.command, filled.args[1], filled.env, filled.cwd],
		["${env:SECRET}/bin/x", "${env:SECRET}", { A: "${env:SECRET}" }, "${env:SECRET}/sub"],
	);
});

test("the digest of a file covers every byte of it and of the scripts that it names; the user sees both", async (t) => {
	const root = mkdtempSync(join(tmpdir(), "vitrine-servers-"));
	t.after(() => rmSync(root, { recursive: true }));
	const [path = ""] = listServersFiles(root);
	const write = (at: string, text: string) => {
		mkdirSync(dirname(join(root, at)), { recursive: true });
		writeFileSync(join(root, at), text);
	};
	const load = () => loadServersFile(path, { root, readable: () => true });
	assert.equal(await load(), undefined);
	const text = '{ "servers": { "mine": { "command": "node", "args": ["lib/server.mjs", "${env:TOKEN}"] } } }';
	write(".vscode/mcp.json", text);
	write("lib/server.mjs", "one");
	const first = await load();
	assert.ok(first);
	const shown = asServersCustomization(first);
	assert.deepEqual([shown.kind, shown.name, shown.path], ["servers", ".vscode/mcp.json", path]);
	assert.match(
		shown.text,
		/^mine starts: node lib\/server\.mjs \$\{env:TOKEN\}\n {2}gets your environment variables: TOKEN\n/,
	);
	assert.ok(shown.text.includes(text) && shown.text.endsWith(`${join(root, "lib/server.mjs")}:\none`));
	write("lib/server.mjs", "two");
	const second = await load();
	write(".vscode/mcp.json", `${text} `);
	const digests = [first.digest, second?.digest, (await load())?.digest];
	assert.equal(new Set(digests).size, 3);
	for (const server of [
		{ command: "x", cwd: ".." },
		{ command: "x", cwd: "/" },
		{ command: "x", cwd: "${workspaceFolder}/../other" },
	]) {
		write(".vscode/mcp.json", JSON.stringify({ servers: { mine: server } }));
		assert.match((await load())?.problems[0] ?? "", /a folder outside the workspace\.$/);
	}
	rmSync(path);
	symlinkSync(join(root, "lib/server.mjs"), path);
	assert.match((await load())?.problems[0] ?? "", /it is a link\.$/);
});
