import * as z from "zod";
import { ThreadId } from "../ids.ts";
import { MAX_GOAL_CHARS } from "../limits.ts";
import { defineMethod } from "../method.ts";
import { SaidFields } from "../say.ts";

/** The tool by which the model says that a goal is reached, or that only the user can help. */
export const REPORT_GOAL = "report_goal";

export const MAX_CHECK_CHARS = 2_000;
export const MAX_GOAL_TURNS = 1_000;
const MAX_REPORT_CHARS = 10_000;

/** What a goal may use in all its turns; money in US dollars. */
export const GoalBudget = z.object({
	turns: z.int().min(1).max(MAX_GOAL_TURNS),
	tokens: z.number().positive().optional(),
	money: z.number().positive().optional(),
	minutes: z.number().positive().optional(),
});
export type GoalBudget = z.infer<typeof GoalBudget>;

/** How to pursue a prompt as a goal: the turns it may take, and the command that decides. */
export const GoalRequest = z.object({
	/** Runs under the thread's policy when the model reports the goal as reached; exit code 0 means that it is. */
	check: z.string().trim().min(1).max(MAX_CHECK_CHARS).optional(),
	budget: GoalBudget,
});

export type GoalRequest = z.infer<typeof GoalRequest>;

/** What the model reports. */
export const GoalClaim = z.object({
	status: z.enum(["reached", "blocked"]),
	report: z.string().trim().min(1).max(MAX_REPORT_CHARS),
});
export type GoalClaim = z.infer<typeof GoalClaim>;

/** A goal of a thread: the host starts turns until it is reached. */
export const Goal = z.object({
	text: z.string().min(1).max(MAX_GOAL_CHARS),
	...GoalRequest.shape,
	/** `limit`: its budget is used up. All but the first two are final. */
	state: z.enum(["active", "paused", "reached", "stopped", "limit"]),
	/** The model has reported it as reached, and verifies that now. */
	verifying: z.boolean(),
	spent: z.object({ turns: z.int().min(0), tokens: z.number(), money: z.number(), minutes: z.number() }),
	/** Why it is paused. */
	reason: z.string().optional(),
	reasonSaid: SaidFields.optional(),
	/** The model's last report. */
	report: z.string().optional(),
});
export type Goal = z.infer<typeof Goal>;

export const goalChange = defineMethod(
	"goal/change",
	"Pauses the goal of a thread after the running turn, resumes it, or stops it together with the running turn. Refused if there is no goal that can do this.",
	{
		params: z.object({ threadId: ThreadId, to: z.enum(["paused", "active", "stopped"]) }),
		result: z.object({ goal: Goal }),
	},
);
