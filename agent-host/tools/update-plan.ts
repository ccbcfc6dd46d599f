import * as z from "zod";
import { defineTool } from "./tool.ts";

const MAX_STEPS = 50;

const Step = z.object({
	text: z.string().min(1).max(500),
	status: z.enum(["pending", "running", "done"]).default("pending"),
});

export const updatePlan = defineTool({
	name: "update_plan",
	description:
		"Show the user your plan for multi-step work: all steps in order, each pending, running or done. Update it as you progress.",
	needs: "none",
	kind: "plan",
	input: z.object({ steps: z.array(Step).min(1).max(MAX_STEPS) }),
	title: ({ steps }) => `Plan: ${steps.filter(({ status }) => status === "done").length} of ${steps.length} done`,
	access: () => ({ kind: "none" }),
	run: ({ steps }) => {
		const next = steps.find(({ status }) => status !== "done");
		const text = next === undefined ? "All steps are done." : `Plan updated. Next: ${next.text}`;
		return Promise.resolve({ ok: true, text });
	},
});
