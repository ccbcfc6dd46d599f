import { defineFragment } from "../fragment.ts";

/** A goal as the model is told about it. */
export interface GoalTold {
	readonly text: string;
	readonly check?: string | undefined;
	/** The most turns that it may take. */
	readonly turns: number;
}

/** The user's goal, when it is set and when it is over. */
export const goal = defineFragment<{ readonly goal: GoalTold | null }>({
	kind: "goal",
	role: "developer",
	tag: "goal",
	origin: "user",
	maxChars: 8_000,
	about: "A goal that the host starts turns for until it is reached, and its end.",
	summary: ({ goal: set }) => (set === null ? "goal: over" : `goal: at most ${set.turns} turns`),
	attributes: ({ goal: set }) => ({ state: set === null ? "over" : "active" }),
	body: ({ goal: set }) => (set === null ? OVER : describe(set)),
});

const OVER = "The goal is no longer active. Do what the user asks for next, and nothing more for the goal.";

function describe({ text, check, turns }: GoalTold): string {
	return [
		`The user has set a goal. When your turn ends, the host starts the next one until the goal is reached, at most ${turns} turns in total.`,
		`Goal: ${text}`,
		check === undefined
			? "When you report it as reached, you verify it once more in a turn of its own."
			: `When you report it as reached, the host runs this check, whose exit code 0 decides: ${check}`,
		"Get as far as you can in each turn, without asking the user. Call report_goal only when every part of the goal holds and you have verified it (reached), or when you cannot continue without the user (blocked).",
	].join("\n");
}
