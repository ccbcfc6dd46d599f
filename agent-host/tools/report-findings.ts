import { say } from "../protocol/say.ts";
import { Findings, REPORT_FINDINGS } from "../protocol/thread/finding.ts";
import { defineTool } from "./tool.ts";

/** Offered in review mode only: what a client shows as problems of the files. */
export const reportFindings = defineTool({
	name: REPORT_FINDINGS,
	description: "Report all findings at once, the most serious first; may be empty.",
	needs: "review",
	input: Findings,
	title: ({ findings }) =>
		findings.length === 1 ? say("call-finding") : say("call-findings", { count: findings.length }),
	access: () => ({ kind: "none" }),
	run: () => Promise.resolve({ ok: true, text: "The user sees them." }),
});
