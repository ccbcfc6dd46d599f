import { say } from "../protocol/say.ts";
import { Plan, UPDATE_PLAN } from "../protocol/thread/plan.ts";
import { defineTool } from "./tool.ts";

export const updatePlan = defineTool({
	name: UPDATE_PLAN,
	description: "Show the user your plan: all steps in order.",
	needs: "none",
	kind: "plan",
	input: Plan,
	title: ({ steps }) =>
		say("call-plan", { done: steps.filter(({ status }) => status === "done").length, steps: steps.length }),
	access: () => ({ kind: "none" }),
	run: ({ steps }) => {
		const next = steps.find(({ status }) => status !== "done");
		const text = next === undefined ? "All steps are done." : `Plan updated. Next: ${next.text}`;
		return Promise.resolve({ ok: true, text });
	},
});
