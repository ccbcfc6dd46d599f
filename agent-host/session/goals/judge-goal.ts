import { HostError } from "../../protocol/errors.ts";
import { MAX_GOAL_CHARS } from "../../protocol/limits.ts";
import { SaidFields, say } from "../../protocol/say.ts";
import type { Limits } from "../../protocol/settings/settings.ts";
import type { Spent, TurnError } from "../../protocol/thread/events.ts";
import type { Goal, GoalClaim, GoalRequest } from "../../protocol/thread/goal.ts";
import { roundMinutes } from "../../spending/spent.ts";
import { pauseGoal } from "../thread/pause-goal.ts";

/** How a turn of a thread with a goal ended. */
export interface EndedTurn {
	readonly kind: "conversation" | "check";
	readonly status: "completed" | "interrupted" | "failed";
	readonly error?: TurnError | undefined;
	readonly spent?: Spent | undefined;
	/** What the model has reported last. */
	readonly claim?: GoalClaim | undefined;
	/** Of a check; undefined if it did not run to its end. */
	readonly exitCode?: number | undefined;
	/** What a check said instead, if it did not run. */
	readonly output?: string | undefined;
}

/** The goal after a turn, and what comes next: nothing, the check, or another turn with its prompt. */
export interface GoalStep {
	readonly goal: Goal;
	readonly next?: { readonly kind: "check" } | { readonly kind: "turn"; readonly prompt: string };
}

const UNITS = ["turns", "tokens", "money", "minutes"] as const;

/** A goal that is set with a prompt. */
export function beginGoal(prompt: string, { check, budget }: GoalRequest): Goal {
	const text = prompt.trim();
	if (text.length > MAX_GOAL_CHARS)
		throw new HostError("input-refused", say("goal-too-long", { most: MAX_GOAL_CHARS }));
	const spent = { turns: 0, tokens: 0, money: 0, minutes: 0 };
	return { text, ...(check === undefined ? {} : { check }), budget, state: "active", verifying: false, spent };
}

/** Decides what a turn's end means for an active goal. */
export function judgeGoal(before: Goal, turn: EndedTurn): GoalStep {
	const goal = countTurn(before, turn);
	// The next host goes on.
	if (turn.error?.code === "host-ended") return { goal };
	if (turn.status === "interrupted") return { goal: pauseGoal(goal, say("goal-paused-stopped")) };
	if (turn.status === "failed") return { goal: isUsedUp(goal) ? limit(goal) : pauseAfter(goal, turn) };
	return turn.kind === "check" ? judgeCheck(goal, turn) : judgeClaim(goal, turn.claim);
}

function judgeClaim(goal: Goal, claim: GoalClaim | undefined): GoalStep {
	if (claim === undefined) return goOn({ ...goal, verifying: false }, "continue.");
	const reported = { ...goal, report: claim.report };
	if (claim.status === "blocked") return { goal: pauseGoal(reported, say("goal-blocked")) };
	if (goal.check !== undefined) return { goal: reported, next: { kind: "check" } };
	if (goal.verifying) return { goal: { ...reported, verifying: false, state: "reached" } };
	return goOn(
		{ ...reported, verifying: true },
		"you reported the goal as reached. Verify every part of it now by reading and running, not from memory. If all of it holds, call report_goal again; otherwise continue.",
	);
}

function judgeCheck(goal: Goal, { exitCode, output }: EndedTurn): GoalStep {
	if (exitCode === 0) return { goal: { ...goal, state: "reached" } };
	if (exitCode === undefined) {
		return { goal: pauseGoal(goal, say("goal-check-not-run", { reason: output ?? "" })) };
	}
	return goOn(goal, `the check failed with exit code ${exitCode}; its output is above. Continue.`);
}

function goOn(goal: Goal, what: string): GoalStep {
	if (isUsedUp(goal)) return { goal: limit(goal) };
	const { turns } = goal.budget;
	const prompt = `Goal, turn ${goal.spent.turns + 1} of ${turns}: ${what}`;
	return { goal, next: { kind: "turn", prompt } };
}

/** The prompt that takes a goal up again. */
export function resumeGoal(goal: Goal): GoalStep {
	const { reason: _, reasonSaid: __, ...kept } = goal;
	return goOn({ ...kept, state: "active" }, "continue.");
}

/** What the next turn may use: what is left of the goal's budget, and no more than a turn may use anyway. */
export function limitTurn({ budget, spent }: Goal, turn: Limits): Limits {
	const left = (unit: "tokens" | "money" | "minutes") => {
		const all = [turn[unit], budget[unit] === undefined ? undefined : Math.max(0, budget[unit] - spent[unit])];
		const least = Math.min(...all.filter((one) => one !== undefined));
		return Number.isFinite(least) ? { [unit]: unit === "tokens" ? Math.max(1, Math.floor(least)) : least } : {};
	};
	return { ...turn, ...left("tokens"), ...left("money"), ...left("minutes") };
}

function isUsedUp({ budget, spent }: Goal): boolean {
	return UNITS.some((unit) => budget[unit] !== undefined && spent[unit] >= budget[unit]);
}

function limit(goal: Goal): Goal {
	return { ...goal, state: "limit", verifying: false };
}

/** The goal with what a turn for it has used. One that its host did not live to finish is no turn: the next host repeats it. */
export function countTurn(goal: Goal, { kind, spent, error }: EndedTurn): Goal {
	const { turns, tokens, money, minutes } = goal.spent;
	const isTurn = kind === "conversation" && error?.code !== "host-ended";
	return {
		...goal,
		spent: {
			turns: turns + (isTurn ? 1 : 0),
			tokens: tokens + (spent?.tokens ?? 0),
			money: money + (spent?.money ?? 0),
			minutes: roundMinutes(minutes + (spent?.minutes ?? 0)),
		},
	};
}

function pauseAfter(goal: Goal, { error }: EndedTurn): Goal {
	if (error === undefined) return pauseGoal(goal, say("goal-paused-failed"));
	return { ...goal, state: "paused", verifying: false, reason: error.message, reasonSaid: SaidFields.parse(error) };
}
