import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/editor-until.ts";
import { calls, callsAll, holds, says } from "../support/fake-model-steps.ts";
import { setUpDesk } from "./rig/command-here.ts";
import { callOverMcp } from "./rig/mcp-client.ts";
import { agent, play } from "./rig/play-agents.ts";

const addFile = (name: string) =>
	calls("apply_patch", { patch: `*** Begin Patch\n*** Add File: .vscode/${name}.json\n+{}\n*** End Patch\n` });
const ALLOW = { action: "accept", content: { decision: "allow" } };

test("modern: an interrupted turn's pending approval is not asked in the next turn", async (t) => {
	const steps = [addFile("first"), addFile("second"), says("Done.")];
	const desk = await setUpDesk(t, (_, index) => steps[index]);
	const caller = await callOverMcp(desk, { era: "modern", answer: () => ALLOW });
	t.after(() => caller.close());
	const { threadId } = await caller.call("start", { prompt: "One.", background: true });
	await until("the turn waits for its user", async () =>
		JSON.stringify((await caller.call("read", { threadId })).events).includes("approvalRequested"),
	);
	await caller.call("interrupt", { threadId });
	assert.equal((await caller.call("turn", { threadId, prompt: "Two." })).text, "Done.");
	assert.deepEqual(
		caller.shown.map((message) => /first|second/.exec(message)?.[0]),
		["second"],
	);
});

test("legacy: interrupting a turn withdraws its form from the user", async (t) => {
	const desk = await setUpDesk(t, () => addFile("first"));
	let isTakenBack = false;
	const caller = await callOverMcp(desk, {
		era: "legacy",
		answer: (_, signal) => {
			signal.addEventListener("abort", () => {
				isTakenBack = true;
			});
			return new Promise(() => undefined);
		},
	});
	t.after(() => caller.close());
	const { threadId } = await caller.call("start", { prompt: "One.", background: true });
	await until("the user is asked", () => caller.shown.length > 0);
	await caller.call("interrupt", { threadId });
	await until("the form is taken back", () => isTakenBack);
});

test("modern: an answer that arrives after its turn was interrupted ends its call, also while another turn runs", async (t) => {
	const steps = [addFile("first"), says("Second."), says("Third.")];
	const desk = await setUpDesk(t, (_, index) => steps[index]);
	const { promise: answered, resolve } = Promise.withResolvers<object>();
	const caller = await callOverMcp(desk, { era: "modern", answer: () => answered });
	t.after(() => caller.close());
	const { threadId } = await caller.call("start", {});
	const first = caller.call("turn", { threadId, prompt: "One." });
	await until("the user is asked", () => caller.shown.length > 0);
	await caller.call("interrupt", { threadId });
	for (const text of ["Second.", "Third."]) {
		assert.equal((await caller.call("turn", { threadId, prompt: "Go on." })).text, text);
	}
	resolve(ALLOW);
	assert.equal((await first).status, "interrupted");
	assert.equal(existsSync(join(desk.workspace, ".vscode")), false);
});

test("modern: a compaction due inside a turn ends with it when the turn is interrupted", async (t) => {
	const held = holds("Thinking", " aloud.");
	const steps = [says("One."), says("Two."), held];
	const desk = await setUpDesk(t, (_, index) => steps[index]);
	const caller = await callOverMcp(desk, { era: "modern" });
	t.after(() => caller.close());
	const { threadId } = await caller.call("start", { prompt: "One." });
	await caller.call("turn", { threadId, prompt: "Two." });
	await caller.call("turn", { threadId, prompt: "Three.", background: true });
	await held.reached;
	const compacting = caller.call("compact", { threadId });
	// Answered after the request before it was taken.
	await caller.call("settings", { threadId });
	await caller.call("interrupt", { threadId });
	assert.deepEqual(await compacting, { error: "The compaction was stopped." });
});

test("modern: a compaction inside a turn that is replaced by another, or stopped by a hook, ends with the reason", async (t) => {
	const held = holds("Thinking", "");
	const reading = calls("list_files", {});
	const step = { ...held, parts: [...held.parts, ...reading.parts] };
	const desk = await setUpDesk(t, (_, index) => [says("One."), step, says("Two.")][index]);
	mkdirSync(join(desk.workspace, ".claude"));
	const hook = { type: "command", command: "echo Not now. >&2; exit 2" };
	const hooks = { PreCompact: [{ hooks: [hook] }] };
	writeFileSync(join(desk.workspace, ".claude/settings.json"), JSON.stringify({ hooks }));
	const caller = await callOverMcp(desk, { era: "modern", answer: () => ALLOW });
	t.after(() => caller.close());
	const { threadId } = await caller.call("start", { prompt: "One." });
	await caller.call("turn", { threadId, prompt: "Two.", background: true });
	await held.reached;
	const first = caller.call("compact", { threadId });
	// Answered after the request before it was taken.
	await caller.call("settings", { threadId });
	const second = caller.call("compact", { threadId });
	await caller.call("settings", { threadId });
	held.release();
	assert.deepEqual(await first, { error: "The compaction was stopped." });
	assert.deepEqual(await second, { error: "A PreCompact hook stopped the compaction. Not now." });
	assert.equal((await caller.call("wait", { threadId })).text, "Two.");
});

test("modern: a sub-agent's approval is asked by the call that waits for its task", async (t) => {
	const plays = {
		root: [callsAll([agent("scribe", { role: "implement" })]), calls("wait_agents", {}), says("All done.")],
		scribe: [addFile("first"), says("Written.")],
	};
	const desk = await setUpDesk(t, play(plays));
	const caller = await callOverMcp(desk, { era: "modern", answer: () => ALLOW });
	t.after(() => caller.close());
	const { text, changedFiles } = await caller.call("start", { prompt: "Write it." });
	const written = join(desk.workspace, ".vscode/first.json");
	assert.deepEqual([text, changedFiles], ["All done.", [written]]);
	assert.equal(caller.shown.length, 1);
	assert.match(caller.shown[0] ?? "", /Asked by the sub-agent scribe \(implement\)/);
	assert.equal(existsSync(written), true);
});

test("modern: a relative folder is one below the folder that Vitrine was started with", async (t) => {
	const desk = await setUpDesk(t, () => says("Done."));
	const below = join(desk.workspace, "packages/app");
	mkdirSync(below, { recursive: true });
	const caller = await callOverMcp(desk, { era: "modern" });
	t.after(() => caller.close());
	const { threadId } = await caller.call("start", { prompt: "One.", cwd: "packages/app" });
	await caller.call("settings", { threadId, cwd: "packages" });
	await caller.call("turn", { threadId, prompt: "Two." });
	await caller.call("turn", { threadId, prompt: "Three.", overrides: { cwd: "packages/app" } });
	assert.deepEqual(
		desk.model.requests.map(({ text }) => /.*<environment_context cwd=\\"(.*?)\\"/.exec(text)?.[1]),
		[below, join(desk.workspace, "packages"), below],
	);
	const { error } = await caller.call("start", { prompt: "Four.", cwd: "../elsewhere" });
	assert.match(error ?? "", /elsewhere is not inside an open workspace folder\.$/);
});
