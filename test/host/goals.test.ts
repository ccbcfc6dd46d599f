import assert from "node:assert/strict";
import { test } from "node:test";
import { HOST_ERRORS } from "../../agent-host/protocol/errors.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { threadCompact } from "../../agent-host/protocol/thread/compaction.ts";
import { type Goal, type GoalRequest, goalChange } from "../../agent-host/protocol/thread/goal.ts";
import {
	threadArchive,
	threadClose,
	threadExport,
	threadFork,
	threadImport,
	threadRead,
	threadResume,
	threadRollback,
} from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, hangs, holds, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const asked: string[] = [];
const withShared = shareHost({
	approve: ({ subject, digest }) => {
		asked.push(subject.kind);
		return { decision: "deny", digest };
	},
});

const reached = () => calls("report_goal", { status: "reached", report: "It is there." });

async function pursue(host: HostProcess, text: string, goal: GoalRequest, threadId?: ThreadId): Promise<ThreadId> {
	const mine = threadId ?? (await aThread(host));
	await host.request(turnStart, { threadId: mine, input: [{ kind: "text", text }], goal });
	return mine;
}

/** The goal once it is in that state. */
async function goalIn(host: HostProcess, threadId: ThreadId, state: Goal["state"]): Promise<Goal> {
	const { event } = await host.waitFor(threadId, (one) => one.type === "goalChanged" && one.goal.state === state);
	assert.ok(event.type === "goalChanged");
	return event.goal;
}

test("a goal takes turns until its check passes; the model is told of its start, of failed checks and of its end", (t) =>
	withShared(
		t,
		[
			says("I looked around."),
			reached(),
			says("I think it is done."),
			calls("run_command", { command: "echo it > done.txt" }),
			reached(),
			says("Now it is."),
			says("You are welcome."),
		],
		async ({ host, model, world }) => {
			asked.length = 0;
			const threadId = await pursue(host, "Make done.txt.", { check: "test -s done.txt", budget: { turns: 9 } });
			const { spent, report } = await goalIn(host, threadId, "reached");
			assert.deepEqual([spent.turns, report, asked], [3, "It is there.", []]);
			assert.ok(spent.tokens > 0);
			await runTurn(host, threadId, "Thanks.");
			const offered = model.requests.map((one) => bodyOf(one).tools.some(({ name }) => name === "report_goal"));
			assert.deepEqual(offered, [true, true, true, true, true, true, false]);
			const titles = ["the goal", "turn 2", "its report", "after the check", "done", "its second report", "thanks"];
			matchesRequests("goal", model, world, titles);
		},
	));

test("without a check the report is verified in a turn of its own before the goal counts as reached", (t) =>
	withShared(t, [reached(), says("Done."), reached(), says("Verified.")], async ({ host, model }) => {
		const threadId = await pursue(host, "Know it.", { budget: { turns: 5 } });
		assert.equal((await goalIn(host, threadId, "reached")).spent.turns, 2);
		assert.match(
			inputLines(await model.requestNumber(3)).join("\n"),
			/Goal, turn 2 of 5: you reported the goal as reached\. Verify/,
		);
	}));

test("a check is judged like a command of the model: a denied one does not run, and the goal pauses", (t) =>
	withShared(t, [reached(), says("Done.")], async ({ host }) => {
		asked.length = 0;
		const threadId = await aThread(host, { settings: { permissions: { mode: "ask" } } });
		await pursue(host, "Know it.", { check: "true", budget: { turns: 5 } }, threadId);
		const { reason } = await goalIn(host, threadId, "paused");
		assert.deepEqual(asked.length, 1);
		assert.match(reason ?? "", /^The check did not run to its end, so the goal is paused\. /);
	}));

test("a goal ends at its budget of turns, or of tokens in mid-turn, and says so", (t) =>
	withShared(
		t,
		() => says("Still working."),
		async ({ host, model }) => {
			const inTurns = await pursue(host, "Never done.", { budget: { turns: 2 } });
			assert.equal((await goalIn(host, inTurns, "limit")).spent.turns, 2);
			assert.equal(model.requests.length, 2);
			await assert.rejects(host.request(goalChange, { threadId: inTurns, to: "active" }), /no goal to change/);
			const inTokens = await pursue(host, "Never done.", { budget: { turns: 50, tokens: 150 } });
			const { spent } = await goalIn(host, inTokens, "limit");
			assert.deepEqual([spent.turns, spent.tokens], [2, 220]);
		},
	));

test("the user pauses, resumes and stops a goal; a blocked model and a stopped turn pause it", (t) =>
	withShared(
		t,
		[calls("report_goal", { status: "blocked", report: "Which file?" }), says("I need you."), hangs(), hangs()],
		async ({ host, model }) => {
			const threadId = await pursue(host, "Never done.", { budget: { turns: 9 } });
			const blocked = await goalIn(host, threadId, "paused");
			assert.deepEqual([blocked.reason, blocked.report], ["The agent can't continue without you.", "Which file?"]);
			await host.request(goalChange, { threadId, to: "active" });
			await model.requestNumber(3);
			assert.match(inputLines(await model.requestNumber(3)).join("\n"), /Goal, turn 2 of 9: continue\./);
			await host.request(turnInterrupt, { threadId });
			const { goal } = await host.request(goalChange, { threadId, to: "active" });
			assert.equal(goal.spent.turns, 2);
			await model.requestNumber(4);
			assert.equal((await host.request(goalChange, { threadId, to: "paused" })).goal.state, "paused");
			assert.equal((await host.request(goalChange, { threadId, to: "stopped" })).goal.state, "stopped");
			const end = await host.waitFor(threadId, (one) => one.type === "turnCompleted" && one.status === "interrupted");
			assert.ok(end);
			assert.equal(model.requests.length, 4);
		},
	));

test("a turn that is rolled back pauses its goal, whose next turn does not begin", (t) =>
	withShared(
		t,
		() => says("Still working."),
		async ({ host, model }) => {
			const threadId = await pursue(host, "Never done.", { budget: { turns: 1_000 } });
			/** Between two turns there is half a second for it; on a busy machine the next one may be first. */
			const rollBack = async (ended: ReadonlySet<string>): Promise<void> => {
				const { event } = await host.waitFor(threadId, (one) => one.type === "turnCompleted" && !ended.has(one.turnId));
				await host.request(threadRollback, { threadId, turns: 1 }).catch((error: { readonly code?: unknown }) => {
					if (error.code !== HOST_ERRORS["turn-in-progress"]) throw error;
					return rollBack(new Set([...ended, Object(event).turnId]));
				});
			};
			await rollBack(new Set());
			const { reason } = await goalIn(host, threadId, "paused");
			assert.equal(reason, "You rolled back a turn, so the goal is paused.");
			const before = model.requests.length;
			await runTurn(host, threadId, "What is left?");
			assert.equal(model.requests.length, before + 1);
		},
	));

test("Stop ends a compaction or a command, and with it the goal that would follow", (t) => {
	const [first, summary] = [holds("Working", " on it."), holds("Summing", " up.")];
	const blocked = [calls("report_goal", { status: "blocked", report: "Which file?" }), says("I need you.")];
	return withShared(t, [first, summary, ...blocked], async ({ host, model }) => {
		const compacting = await pursue(host, "Never done.", { budget: { turns: 9 } });
		await first.reached;
		await host.request(threadCompact, { threadId: compacting });
		first.release();
		await summary.reached;
		await host.request(turnInterrupt, { threadId: compacting });
		const commanding = await pursue(host, "Never done.", { budget: { turns: 9 } });
		await goalIn(host, commanding, "paused");
		await host.request(turnStart, { threadId: commanding, input: [{ kind: "shell", command: "sleep 60" }] });
		await host.request(goalChange, { threadId: commanding, to: "active" });
		await host.request(turnInterrupt, { threadId: commanding });
		for (const threadId of [compacting, commanding]) {
			const goals = host.events(threadId).flatMap(({ event }) => (event.type === "goalChanged" ? [event.goal] : []));
			assert.deepEqual([goals.at(-1)?.state, goals.at(-1)?.reason], ["paused", "You paused the goal."]);
		}
		assert.equal(model.requests.length, 4);
	});
});

test("a goal whose thread was released between two turns continues when the thread is opened again", (t) =>
	withShared(
		t,
		() => says("Still working."),
		async ({ host, model }) => {
			const threadId = await pursue(host, "Never done.", { budget: { turns: 2 } });
			await host.waitFor(threadId, (one) => one.type === "goalChanged" && one.goal.spent.turns === 1);
			await host.request(threadClose, { threadId });
			await host.request(threadResume, { threadId });
			assert.equal((await goalIn(host, threadId, "limit")).spent.turns, 2);
			assert.equal(model.requests.length, 2);
		},
	));

test("opening a thread with a paused goal, in which the user has run a command since, records nothing", (t) =>
	withShared(
		t,
		[calls("report_goal", { status: "blocked", report: "Which file?" }), says("I need you.")],
		async ({ host }) => {
			const threadId = await pursue(host, "Never done.", { budget: { turns: 9 } });
			await goalIn(host, threadId, "paused");
			const input = [{ kind: "shell" as const, command: "true" }];
			const { turnId } = await host.request(turnStart, { threadId, input });
			await endOfTurn(host, threadId, turnId);
			const before = await host.request(threadRead, { threadId });
			await host.request(threadClose, { threadId });
			await host.request(threadResume, { threadId });
			assert.deepEqual(await host.request(threadRead, { threadId }), before);
		},
	));

test("a goal survives a restart of the host: the next host continues it when the thread is opened, once", (t) =>
	withHost(
		t,
		{ script: [says("Begun."), hangs(), reached(), says("Done."), reached(), says("Verified.")] },
		async ({ host, model, another }) => {
			const threadId = await pursue(host, "Outlive me.", { budget: { turns: 9 } });
			await model.requestNumber(2);
			await host.killHard();
			const next = await another();
			await next.request(threadRead, { threadId });
			await Promise.all([next.request(threadResume, { threadId }), next.request(threadResume, { threadId })]);
			const { spent } = await goalIn(next, threadId, "reached");
			assert.deepEqual([spent.turns, model.requests.length], [3, 6]);
			const told = inputLines(await model.requestNumber(3)).join("\n");
			assert.match(told, /Goal, turn 2 of 9: continue\./);
			assert.equal(told.match(/developer\/goal/g)?.length, 1);
		},
	));

for (const how of ["reloaded", "killed"] as const) {
	test(`usage of a goal's turn counts even if its host is ${how} in the middle of it`, (t) =>
		withHost(
			t,
			{
				script: [
					...[says("Begun."), calls("list_files", {}), hangs()],
					...[reached(), says("Done."), reached(), says("Verified.")],
				],
			},
			async ({ host, model, another }) => {
				const threadId = await pursue(host, "Outlive me.", { budget: { turns: 9 } });
				await model.requestNumber(3);
				if (how === "killed") await host.killHard();
				else await host.close();
				const next = await another();
				await next.request(threadResume, { threadId });
				const { spent } = await goalIn(next, threadId, "reached");
				const requests = model.requests.length - 1;
				assert.deepEqual([spent.turns, spent.tokens], [3, requests * 110]);
			},
		));
}

test("a goal stays with its thread: neither a fork nor an import pursues it, and archiving pauses it", (t) =>
	withShared(t, [says("Begun."), hangs()], async ({ host, model }) => {
		const threadId = await pursue(host, "Mine alone.", { budget: { turns: 9 } });
		await model.requestNumber(2);
		const { text } = await host.request(threadExport, { threadId, format: "records" });
		await host.request(threadArchive, { threadId, archived: true });
		assert.equal((await goalIn(host, threadId, "paused")).reason, "You paused the goal.");
		await host.request(goalChange, { threadId, to: "stopped" });
		const copies = [
			(await host.request(threadFork, { threadId })).threadId,
			(await host.request(threadImport, { text })).threadId,
		];
		for (const copy of copies) {
			await host.request(threadResume, { threadId: copy });
			await assert.rejects(host.request(goalChange, { threadId: copy, to: "active" }), /no goal to change/);
		}
		assert.equal(model.requests.length, 2);
	}));
