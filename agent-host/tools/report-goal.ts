import { say } from "../protocol/say.ts";
import { GoalClaim, REPORT_GOAL } from "../protocol/thread/goal.ts";
import { defineTool } from "./tool.ts";

/** Offered while the thread has a goal. */
export const reportGoal = defineTool({
	name: REPORT_GOAL,
	description: "What you did and verified, or need.",
	needs: "goal",
	input: GoalClaim,
	title: ({ status }) => say(status === "reached" ? "call-goal-reached" : "call-goal-blocked"),
	access: () => ({ kind: "none" }),
	run: ({ status }) =>
		Promise.resolve({
			ok: true,
			text: status === "reached" ? "Noted. It is checked after this turn." : "Noted. The user is told.",
		}),
});
