import assert from "node:assert/strict";
import { test } from "node:test";
import { effortFor } from "../../../agent-host/envelope/effort.ts";
import { summarizeEnvelope } from "../../../agent-host/envelope/summary.ts";
import { type Budgets, budgetsFor } from "../../../agent-host/envelope/window.ts";
import { mergeSettings, Settings } from "../../../agent-host/protocol/settings/settings.ts";
import { aModel, anEnvelope } from "../../support/an-envelope.ts";

test("an envelope cannot be changed once sealed, at any depth", () => {
	const editor = { openFiles: ["a"], unsavedFiles: [], problems: [], files: [], excerpts: [{ title: "x", text: "y" }] };
	const instructionFiles = [{ path: "/repo/AGENTS.md", origin: "workspace", stamp: "1", text: "Use tabs." }] as const;
	const everything = objectsIn(anEnvelope({ workspace: { editor }, observed: { instructionFiles } }));
	assert.ok(everything.length > 30, `${everything.length} objects`);
	assert.deepEqual(
		everything.filter((one) => !Object.isFrozen(one)),
		[],
	);
});

function objectsIn(value: unknown): readonly object[] {
	if (typeof value !== "object" || value === null) return [];
	return [value, ...Object.values(value).flatMap(objectsIn)];
}

test("a tool that needs files is absent when no folder is open", () => {
	const tools = [
		{ name: "read_file", needs: "read" },
		{ name: "think", needs: "none" },
	] as const;
	assert.deepEqual(anEnvelope({ request: { tools } }).capabilities.tools, ["read_file", "think"]);
	assert.deepEqual(anEnvelope({ request: { tools }, workspace: { roots: [] } }).capabilities.tools, ["think"]);
});

test("a tool that the settings leave out is not offered", () => {
	const tools = ["read_file", "apply_patch", "update_plan"].map((name) => ({ name, needs: "none" as const }));
	const offered = (wanted: object) => {
		const settings = mergeSettings(Settings.parse({}), { tools: wanted });
		return anEnvelope({ request: { tools, settings } }).capabilities.tools;
	};
	assert.deepEqual(offered({}), ["read_file", "apply_patch", "update_plan"]);
	assert.deepEqual(offered({ plan: false }), ["read_file", "apply_patch"]);
	assert.deepEqual(offered({ applyPatch: false }), ["read_file", "update_plan"]);
});

test("of an untrusted workspace exactly the folders can be read, no command runs, and no rule counts", () => {
	const { value } = anEnvelope({
		workspace: { roots: ["/a", "/b"], trusted: false },
		settings: { permissions: { mode: "full", network: "on", rules: [{ prefix: ["git", "status"] }] } },
	}).policy;
	assert.deepEqual(value.filesystem, [
		{ path: "/a", access: "read" },
		{ path: "/b", access: "read" },
	]);
	assert.deepEqual([value.commands, value.rules, value.network], [false, [], { kind: "off" }]);
});

test("an effort the model does not have becomes the nearest one, and reasoning is not switched off by that", () => {
	assert.equal(effortFor("max", ["low", "medium", "high"]), "high");
	assert.equal(effortFor("xhigh", ["none", "low", "medium", "high", "max"]), "high");
	assert.equal(effortFor("minimal", ["none", "low", "medium", "high"]), "low");
	assert.equal(effortFor("none", ["minimal", "low"]), "minimal");
	assert.equal(effortFor("none", ["none", "low"]), "none");
	assert.equal(effortFor("high", ["low", "high"]), "high");
	assert.equal(effortFor("high", []), undefined);
	assert.equal(effortFor(undefined, ["low"]), undefined);
});

test("what a client learns of an envelope holds no instructions and no server address", () => {
	const envelope = anEnvelope({
		request: {
			baseInstructions: "SECRET",
			model: aModel({ id: "m", window: 1_000, baseUrl: "https://example.invalid/v1" }),
		},
	});
	assert.deepEqual(summarizeEnvelope(envelope), {
		provider: "demo",
		model: "m",
		window: 1_000,
		windowSource: "assumed",
		cwd: "/repo",
		roots: ["/repo"],
		trusted: true,
		tools: ["read_file"],
		permissions: "Workspace, network off",
		permissionMode: "workspaceWrite",
		approval: "onRequest",
		policyDigest: envelope.policy.digest,
	});
});

test("every budget follows from the one window", () => {
	const settings = [{ effectivePercent: 95 }, { percent: 90, limit: 0, keepUserPercent: 20 }] as const;
	assert.deepEqual(budgetsFor(...settings, 100_000), {
		window: 100_000,
		effective: 95_000,
		autoCompact: 85_500,
		skills: 1_900,
		instructions: 9_500,
		toolOutput: 14_250,
		keptMessages: 19_000,
		recall: 9_500,
		input: 57_000,
	});
	const doubled = Object.entries(budgetsFor(...settings, 200_000));
	for (const [name, tokens] of doubled) {
		assert.equal(tokens, 2 * budgetsFor(...settings, 100_000)[name as keyof Budgets], name);
	}
});

test("a fixed compaction limit counts only when it is the smaller one", () => {
	const limitOf = (limit: number) =>
		budgetsFor({ effectivePercent: 100 }, { percent: 90, limit, keepUserPercent: 20 }, 1_000).autoCompact;
	assert.deepEqual([limitOf(0), limitOf(500), limitOf(5_000)], [900, 500, 900]);
});
