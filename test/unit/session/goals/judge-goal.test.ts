import assert from "node:assert/strict";
import { test } from "node:test";
import { say } from "../../../../agent-host/protocol/say.ts";
import type { Goal } from "../../../../agent-host/protocol/thread/goal.ts";
import {
	beginGoal,
	type EndedTurn,
	judgeGoal,
	limitTurn,
	resumeGoal,
} from "../../../../agent-host/session/goals/judge-goal.ts";
import { pauseGoal } from "../../../../agent-host/session/thread/pause-goal.ts";

const SPENT = { tokens: 100, money: 0.5, unpriced: 0, requests: 2, minutes: 1 };
const DONE: EndedTurn = { kind: "conversation", status: "completed", spent: SPENT };
const CLAIMED: EndedTurn = { ...DONE, claim: { status: "reached", report: "All of it." } };
const CHECKED: EndedTurn = { kind: "check", status: "completed" };

function aGoal(change: Partial<Goal> = {}): Goal {
	return { ...beginGoal("All tests pass.", { budget: { turns: 5 } }), ...change };
}

/** State and what comes next, in a few words. */
function judged(goal: Goal, turn: EndedTurn): string {
	const { goal: after, next } = judgeGoal(goal, turn);
	const what = next === undefined ? "" : next.kind === "check" ? ", check" : `: ${next.prompt.slice(0, 60)}`;
	return `${after.state}${after.verifying ? ", verifying" : ""}${what}`;
}

test("only a report that its check confirms reaches a goal with a check", () => {
	const goal = aGoal({ check: "npm test" });
	assert.equal(judged(goal, DONE), "active: Goal, turn 2 of 5: continue.");
	assert.equal(judged(goal, CLAIMED), "active, check");
	assert.equal(judged(goal, { ...CHECKED, exitCode: 0 }), "reached");
	assert.match(
		judged(goal, { ...CHECKED, exitCode: 2 }),
		/^active: Goal, turn 1 of 5: the check failed with exit code 2/,
	);
	assert.equal(judged(goal, { ...CHECKED, output: "The user declined." }), "paused");
});

test("without a check the model has to report twice, the second time after verifying", () => {
	assert.match(judged(aGoal(), CLAIMED), /^active, verifying: Goal, turn 2 of 5: you reported the goal as reached/);
	assert.equal(judged(aGoal({ verifying: true }), CLAIMED), "reached");
	assert.equal(judged(aGoal({ verifying: true }), DONE), "active: Goal, turn 2 of 5: continue.");
	assert.equal(judgeGoal(aGoal({ verifying: true }), CLAIMED).goal.report, "All of it.");
});

test("a stopped or failed turn and a blocked model pause a goal; the end of the host does not", () => {
	const error = { code: "network", message: "No route." } as const;
	assert.equal(judged(aGoal(), { ...DONE, status: "interrupted" }), "paused");
	assert.equal(judged(aGoal(), { ...DONE, status: "failed", error }), "paused");
	assert.equal(judgeGoal(aGoal(), { ...DONE, status: "failed", error }).goal.reason, "No route.");
	assert.equal(judged(aGoal(), { ...DONE, claim: { status: "blocked", report: "Which key?" } }), "paused");
	const ended = { code: "host-ended", message: "Gone." } as const;
	assert.equal(judged(aGoal(), { ...DONE, status: "interrupted", error: ended }), "active");
});

test("a goal counts what its turns use and ends when any part of its budget is used up", () => {
	assert.deepEqual(judgeGoal(aGoal(), DONE).goal.spent, { turns: 1, tokens: 100, money: 0.5, minutes: 1 });
	assert.deepEqual(judgeGoal(aGoal(), CHECKED).goal.spent.turns, 0);
	const cut = { ...DONE, status: "interrupted", error: { code: "host-ended", message: "Gone." } } as const;
	const used = { turns: 0, tokens: 100, money: 0.5, minutes: 1 };
	assert.deepEqual(judgeGoal(aGoal(), cut).goal.spent, used, "its turn begins again with the next host");
	for (const budget of [{ turns: 1 }, { turns: 9, tokens: 100 }, { turns: 9, money: 0.5 }, { turns: 9, minutes: 1 }]) {
		assert.equal(judged(aGoal({ budget }), DONE), "limit", JSON.stringify(budget));
		assert.equal(judged(aGoal({ budget, verifying: true }), CLAIMED), "reached", JSON.stringify(budget));
	}
	const failed = { ...DONE, status: "failed", error: { code: "budget", message: "Used up." } } as const;
	assert.equal(judged(aGoal({ budget: { turns: 9, tokens: 50 } }), failed), "limit");
	assert.equal(judged(aGoal(), failed), "paused");
});

test("a turn may use what is left of the goal, within its own limits", () => {
	const spent = { turns: 1, tokens: 400, money: 1, minutes: 5 };
	const goal = aGoal({ spent, budget: { turns: 5, tokens: 1_000, money: 3 } });
	assert.deepEqual(limitTurn(goal, {}), { tokens: 600, money: 2 });
	const tight = { tokens: 100, money: 9, requests: 3, minutes: 2 };
	assert.deepEqual(limitTurn(goal, tight), { tokens: 100, money: 2, requests: 3, minutes: 2 });
});

test("a paused goal continues where it was, without the reason, unless its budget is used up", () => {
	const paused = pauseGoal(aGoal({ verifying: true }), say("goal-paused"));
	assert.deepEqual([paused.state, paused.verifying, paused.reason], ["paused", false, "You paused the goal."]);
	const { goal, next } = resumeGoal(paused);
	assert.deepEqual([goal, next], [aGoal(), { kind: "turn", prompt: "Goal, turn 1 of 5: continue." }]);
	assert.equal(resumeGoal({ ...paused, spent: { ...paused.spent, turns: 5 } }).goal.state, "limit");
});
