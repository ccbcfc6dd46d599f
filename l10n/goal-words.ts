import type { Goal } from "../agent-host/protocol/thread/goal.ts";
import { sayNamed } from "./host-words.ts";
import { type Message, t } from "./t.ts";

const STATES: Readonly<Record<Goal["state"], Message>> = {
	active: "Goal",
	paused: "Goal paused",
	reached: "Goal reached",
	stopped: "Goal stopped",
	limit: "Goal not reached: its budget is used up",
};

export function nameGoalState({ state }: Goal): string {
	return t(STATES[state]);
}

/** Why it is paused; empty if it is not. */
export function describePause({ state, reason, reasonSaid }: Goal): string {
	return state !== "paused" || reason === undefined ? "" : sayNamed(reason, reasonSaid);
}
