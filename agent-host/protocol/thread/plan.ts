import * as z from "zod";

/** The tool by which the model shows its plan and how far it is. */
export const UPDATE_PLAN = "update_plan";

const MAX_STEPS = 50;

const Step = z.object({
	text: z.string().min(1).max(500),
	status: z.enum(["pending", "running", "done"]).default("pending"),
});

export const Plan = z.object({ steps: z.array(Step).min(1).max(MAX_STEPS) });
export type ReportedStep = z.infer<typeof Step>;
