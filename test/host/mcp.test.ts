import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/editor-until.ts";
import { calls, hangs, holds, says } from "../support/fake-model-steps.ts";
import { bodyOf } from "../support/request-page.ts";
import { setUpDesk } from "./rig/command-here.ts";
import { isCompaction, sumsUp } from "./rig/compaction.ts";
import { callOverMcp, type Era } from "./rig/mcp-client.ts";

const PATCH = "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{}\n*** End Patch\n";
const ERAS: readonly Era[] = ["legacy", "modern"];

for (const era of ERAS) {
	test(`${era}: a caller starts, asks its user, changes a turn's context, interrupts, compacts, undoes and forks`, async (t) => {
		const held = holds("Thinking", " aloud.");
		const steps = [calls("apply_patch", { patch: PATCH }), says("Changed."), held, says("After."), says("Forked.")];
		let taken = 0;
		const desk = await setUpDesk(t, (request) =>
			isCompaction(request) ? sumsUp("Change it.", ["Go on."]) : steps[taken++],
		);
		const caller = await callOverMcp(desk, {
			era,
			answer: () => ({ action: "accept", content: { decision: "allow" } }),
		});
		t.after(() => caller.close());
		const first = await caller.call("start", {
			prompt: "Change it.",
			sandbox: "ask",
			developerInstructions: "Be brief.",
		});
		assert.deepEqual([first.status, first.text, first.refused], ["completed", "Changed.", []]);
		assert.ok(existsSync(join(desk.workspace, ".vscode/tasks.json")));
		assert.match(caller.shown[0] ?? "", /add .*tasks\.json \(\+1 −0\)[\s\S]*\+\{\}/);
		assert.match(caller.told.join("\n"), /tasks\.json$/m);
		// The new era has no messages of the server outside of a call.
		assert.equal(caller.events.includes("approvalResolved"), era === "legacy");
		const { threadId } = first;
		const background = await caller.call("turn", {
			threadId,
			prompt: "Go on.",
			overrides: { effort: "high", sandbox: "readOnly", approval: "never" },
			background: true,
		});
		assert.equal(background.status, "running");
		await held.reached;
		assert.equal((await caller.call("wait", { threadId, timeoutMs: 0 })).status, "running");
		await caller.call("steer", { threadId, turnId: background.turnId, text: "Quickly." });
		await caller.call("interrupt", { threadId });
		assert.equal((await caller.call("wait", { threadId })).status, "interrupted");
		assert.equal(Object(bodyOf(model(desk, 2))).reasoning?.effort, "high");
		const preview = await caller.call("compact", { threadId, preview: true, focus: "names" });
		assert.deepEqual([preview.preview, typeof preview.summary], [true, "string"]);
		await caller.call("compact_apply", { compactionId: preview.compactionId });
		assert.match(String((await caller.call("compact", { threadId })).error), /^Nothing was said since/);
		await caller.call("compact_undo", { threadId });
		const again = await caller.call("compact", { threadId });
		assert.equal(again.preview ?? again.error, false);
		await caller.call("compact_undo", { threadId });
		const after = await caller.call("turn", { threadId, prompt: "Are you there?" });
		assert.equal(after.text, "After.");
		const { threadId: copy } = await caller.call("fork", { threadId });
		assert.equal((await caller.call("turn", { threadId: copy, prompt: "And you?" })).text, "Forked.");
		await caller.call("rollback", { threadId: copy, turns: 1 });
		const { threads } = await caller.call("list", {});
		assert.equal(Object(threads).length, 2);
		const { events } = await caller.call("read", { threadId });
		assert.ok(JSON.stringify(events).includes('"compactionUndone"'));
		const inspected = await caller.call("inspect", { threadId });
		assert.ok(JSON.stringify(inspected).includes("Are you there?"));
	});

	// Who answers and what is refused does not depend on the era.
	if (era === "legacy" && process.env.VITRINE_FULL !== "1") continue;

	test(`${era}: cancelling a call at once ends its turn, even if the turn had not begun`, async (t) => {
		const desk = await setUpDesk(t, () => hangs());
		const caller = await callOverMcp(desk, { era });
		t.after(() => caller.close());
		const { threadId } = await caller.call("start", {});
		const giveUp = new AbortController();
		const params = { name: "turn", arguments: { threadId, prompt: "Never mind." } };
		const called = caller.client.callTool(params, { signal: giveUp.signal });
		await new Promise(setImmediate);
		giveUp.abort();
		await assert.rejects(called);
		const status = await until("the turn has begun", async () => {
			return (await caller.call("wait", { threadId, timeoutMs: 10_000 })).status;
		});
		assert.equal(status, "interrupted");
	});

	test(`${era}: a caller that stops waiting for a background turn does not end it`, async (t) => {
		const desk = await setUpDesk(t, () => hangs());
		const caller = await callOverMcp(desk, { era });
		t.after(() => caller.close());
		const { threadId } = await caller.call("start", { prompt: "Take your time.", background: true });
		const giveUp = new AbortController();
		const waited = caller.client.callTool({ name: "wait", arguments: { threadId } }, { signal: giveUp.signal });
		await new Promise(setImmediate);
		giveUp.abort();
		await assert.rejects(waited);
		assert.equal((await caller.call("wait", { threadId, timeoutMs: 500 })).status, "running");
		await caller.call("interrupt", { threadId });
	});

	test(`${era}: a missing or unreadable answer is a no, and a caller can only be stricter than its user`, async (t) => {
		const desk = await setUpDesk(t, (_, index) =>
			index % 2 === 0 ? calls("apply_patch", { patch: PATCH }) : says("No."),
		);
		const answers = [{ action: "accept", content: { decision: "sure" } }, { action: "cancel" }, { action: "accept" }];
		const caller = await callOverMcp(desk, { era, answer: () => answers.shift() ?? {} });
		t.after(() => caller.close());
		const { threadId } = await caller.call("start", {});
		for (let turn = 0; turn < 3; turn += 1) {
			const refused = await caller.call("turn", { threadId, prompt: "Change it." });
			assert.deepEqual([refused.status, refused.refused], ["completed", ["Change 1 file: .vscode/tasks.json"]]);
		}
		const mute = await callOverMcp(desk, { era });
		t.after(() => mute.close());
		assert.deepEqual((await mute.call("start", { prompt: "Change it." })).refused, [
			"Change 1 file: .vscode/tasks.json",
		]);
		assert.ok(!existsSync(join(desk.workspace, ".vscode/tasks.json")));
		const strict = [
			{ config: { model: { baseUrl: "https://elsewhere.example", provider: "compatible" } } },
			{ config: { permissions: { network: "on", writableRoots: ["/"] } } },
			{ config: { servers: { x: { command: "sh" } } } },
			{ config: { permissions: { mode: "full" } } },
		];
		for (const input of strict)
			assert.match((await mute.call("start", input)).error ?? "", /^(?:Only the user|The permission)/);
		assert.match((await mute.call("start", { cwd: "/" })).error ?? "", /not inside an open/);
		for (const input of [{ sandbox: "full" }, { sandBox: "ask" }, { config: { modle: {} } }]) {
			const failed = await mute.call("start", input).catch((error: Error) => ({ error: error.message }));
			assert.match(failed.error ?? "", /sandbox|sandBox|modle/);
		}
	});
}

function model({ model: { requests } }: Awaited<ReturnType<typeof setUpDesk>>, index: number) {
	const request = requests[index];
	assert.ok(request);
	return request;
}
