import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nameTool } from "../../../agent-host/capabilities/servers/offer.ts";
import { describeEditorTools, offerEditorTools } from "../../../agent-host/capabilities/servers/offer-editor-tools.ts";
import { EDITOR_AS_SERVER } from "../../../agent-host/envelope/envelope.ts";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { ServerName } from "../../../agent-host/protocol/settings/server-settings.ts";
import { PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { aPolicy } from "../../support/a-policy.ts";

const OBJECT = { type: "object", properties: {} };

test("editor tools have names that every provider accepts, and none collides with a server tool's name", () => {
	const words = fc.string({ minLength: 1, maxLength: 100, unit: "binary" });
	fc.assert(
		fc.property(fc.uniqueArray(words, { minLength: 1, maxLength: 20 }), words, (names, server) => {
			const { tools } = offerEditorTools(
				names.map((name) => ({ name, description: "", inputSchema: OBJECT })),
				names,
			);
			const offered = tools.map(({ name }) => name);
			assert.equal(new Set(offered).size, names.length);
			for (const name of offered) assert.match(name, /^editor__[a-zA-Z0-9_-]{1,56}$/);
			assert.ok(!offered.includes(nameTool(server, names[0] ?? "")));
		}),
	);
	assert.equal(ServerName.safeParse(EDITOR_AS_SERVER).success, false, "no server can be called like the editor");
});

test("only tools that the user named are offered, and one whose description changes counts as another tool", () => {
	const listed = (description: string) => [
		{ name: "b", description, inputSchema: OBJECT },
		{ name: "other", description: "", inputSchema: OBJECT },
	];
	const [one] = offerEditorTools(listed("Two."), ["b"]).tools;
	const [two] = offerEditorTools(listed("Three."), ["b"]).tools;
	assert.deepEqual([one?.name, one?.tool, two?.name], ["editor__b", "b", "editor__b"]);
	assert.notEqual(one?.digest, two?.digest);
	assert.deepEqual(offerEditorTools(listed(""), []).tools, []);
	assert.deepEqual(describeEditorTools([], "listed"), []);
	const { tools } = offerEditorTools(listed(""), ["b", "other"]);
	assert.deepEqual(describeEditorTools(tools, "listed"), [
		{ name: EDITOR_AS_SERVER, about: "2 tools, named editor__…" },
	]);
});

test("the editor's own tools, and those of its assistant, cannot be named", () => {
	const isTaken = (name: string): boolean => PartialSettings.safeParse({ editorTools: [name] }).success;
	assert.deepEqual(["vscode_renameSymbol", "copilot_readFile", "VSCode_x", ""].map(isTaken), [
		...[false, false, false, false],
	]);
	assert.deepEqual(["runTests", "mcp_docs_search", "my_vscode_tool"].map(isTaken), [true, true, true]);
});

test("every call of an editor tool needs approval, whatever the rules say; only Full Access runs it without", () => {
	const verdict = (changes: Partial<Policy>): string =>
		decide({ kind: "editorTool" }, { ...aPolicy(), ...changes }).kind;
	const serverTools = [{ server: EDITOR_AS_SERVER, tool: "b", definition: "d" }];
	assert.equal(verdict({}), "ask");
	assert.equal(verdict({ serverTools }), "ask");
	assert.equal(verdict({ approval: "never", serverTools }), "deny");
	assert.equal(verdict({ commands: false, mode: "full" }), "deny");
	assert.equal(verdict({ mode: "full" }), "allow");
	assert.equal(verdict({ plan: { mode: "full", network: "on" } }), "deny");
});
