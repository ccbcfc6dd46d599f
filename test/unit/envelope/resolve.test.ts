import assert from "node:assert/strict";
import { test } from "node:test";
import { effortFor } from "../../../agent-host/envelope/effort.ts";
import type { Observed } from "../../../agent-host/envelope/resolve-envelope.ts";
import { summarizeEnvelope } from "../../../agent-host/envelope/summary.ts";
import { type Budgets, budgetsFor } from "../../../agent-host/envelope/window.ts";
import { isWithin } from "../../../agent-host/permissions/reach/is-within.ts";
import { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { mergeSettings, Settings } from "../../../agent-host/protocol/settings/settings.ts";
import { TOOLS } from "../../../agent-host/tools/catalog.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { aModel, anEnvelope, anObserved } from "../../support/an-envelope.ts";

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

test("in an untrusted workspace only its folders can be read, no command runs, and no rule counts", () => {
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

test("a sub-agent is bound by its parent's current policy, asks only its parent, and starts no others", () => {
	const tools = [
		{ name: "apply_patch", needs: "edit" as const },
		{ name: "ask_user", needs: "user" as const },
		{ name: "start_agent", needs: "agents" as const },
		{ name: "message_agent", needs: "none" as const },
	];
	const agent = {
		parent: ThreadId.parse("parent"),
		name: "a",
		role: "implement",
		instructions: "",
		readsOnly: false,
		depth: 1,
	};
	const parentPolicy = aPolicy({ permissions: { mode: "readOnly" }, approval: "never" });
	const own = anEnvelope({ request: { tools }, observed: { asksUser: true } });
	const child = anEnvelope({ request: { tools, agent }, observed: { asksUser: true, parentPolicy } });
	assert.deepEqual(own.capabilities.tools, ["apply_patch", "ask_user", "start_agent", "message_agent"]);
	assert.deepEqual(child.capabilities.tools, ["message_agent"]);
	assert.deepEqual([child.policy.value.mode, child.policy.value.approval], ["readOnly", "never"]);
	assert.ok(isWithin(child.policy.value, parentPolicy) && !isWithin(own.policy.value, parentPolicy));
});

test("sub-agents are offered to as many levels as the user has set", () => {
	const tools = [{ name: "start_agent", needs: "agents" as const }];
	const parent = { parent: ThreadId.parse("parent"), name: "a", role: "implement", instructions: "", readsOnly: false };
	const isOffered = (agentDepth: number, depth: number): boolean => {
		const request = { tools, ...(depth > 0 && { agent: { ...parent, depth } }) };
		return anEnvelope({ request, settings: { tools: { agentDepth } } }).capabilities.tools.length > 0;
	};
	assert.deepEqual(
		[0, 1, 2].map((levels) => [0, 1, 2].map((depth) => isOffered(levels, depth))),
		[
			[false, false, false],
			[true, false, false],
			[true, true, false],
		],
	);
});

test("a review is read-only whatever is set, and only the thread that the user sees reports findings", () => {
	const tools = [
		{ name: "apply_patch", needs: "edit" as const },
		{ name: "report_findings", needs: "review" as const },
	];
	const settings = { permissions: { mode: "full", network: "on" }, modes: { collaboration: "review" } } as const;
	const review = anEnvelope({ request: { tools }, settings });
	const { plan, mode, network, filesystem } = review.policy.value;
	assert.deepEqual([plan, mode, network], [{ mode: "full", network: "on", review: true }, "readOnly", { kind: "off" }]);
	assert.ok(filesystem.every(({ access }) => access !== "write"));
	assert.deepEqual(review.capabilities.tools, ["report_findings"]);
	const agent = {
		parent: ThreadId.parse("parent"),
		name: "a",
		role: "explore",
		instructions: "",
		readsOnly: true,
		depth: 1,
	};
	const parentPolicy = review.policy.value;
	const child = anEnvelope({ request: { tools, agent }, observed: { parentPolicy } });
	assert.deepEqual([child.capabilities.tools, child.policy.value.plan?.review], [[], true]);
	const plans = anEnvelope({ request: { tools }, settings: { modes: { collaboration: "plan" } } });
	assert.deepEqual(plans.capabilities.tools, []);
});

test("an effort the model lacks becomes the nearest one, but never switches reasoning off", () => {
	assert.equal(effortFor("max", ["low", "medium", "high"]), "high");
	assert.equal(effortFor("xhigh", ["none", "low", "medium", "high", "max"]), "high");
	assert.equal(effortFor("minimal", ["none", "low", "medium", "high"]), "low");
	assert.equal(effortFor("none", ["minimal", "low"]), "minimal");
	assert.equal(effortFor("none", ["none", "low"]), "none");
	assert.equal(effortFor("high", ["low", "high"]), "high");
	assert.equal(effortFor("high", []), undefined);
	assert.equal(effortFor(undefined, ["low"]), undefined);
});

test("the client's view of an envelope holds no instructions and no server address", () => {
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
		permissionsSaid: {
			parts: [
				{ message: "Workspace", sentence: "mode-workspace" },
				{ message: "network off", sentence: "name-network-off" },
			],
			list: true,
		},
		permissionMode: "workspaceWrite",
		approval: "onRequest",
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

test("tools that ask the editor are offered where one answers; in Restricted Mode only those that read", () => {
	const tools = (observed: Partial<Observed>) =>
		anEnvelope({ request: { tools: TOOLS }, observed }).capabilities.tools.filter((name) => ASKING.includes(name));
	const untrusted = anObserved({ trusted: false }).workspace;
	assert.deepEqual(tools({ knowsLanguages: false }), []);
	assert.deepEqual(tools({ knowsLanguages: true }), ASKING);
	assert.deepEqual(tools({ knowsLanguages: true, workspace: untrusted }), ASKING.slice(0, 3));
	const settings = Settings.parse({ tools: { applyPatch: false } });
	const unpatched = anEnvelope({ request: { tools: TOOLS, settings }, observed: { knowsLanguages: true } });
	assert.ok(!unpatched.capabilities.tools.includes("rename_symbol"), "a renaming is a patch");
});

const ASKING = ["locate_symbol", "list_symbols", "problems", "run_task", "rename_symbol", "code_action"];
