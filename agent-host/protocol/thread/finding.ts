import * as z from "zod";

/** The tool by which a review reports. */
export const REPORT_FINDINGS = "report_findings";

export const Severity = z.enum(["error", "warning", "info"]);
export type Severity = z.infer<typeof Severity>;

/** Something that a review found. */
export const Finding = z.object({
	severity: Severity,
	path: z.string().min(1).max(4_096),
	line: z.int().min(1).describe("In the new version"),
	title: z.string().trim().min(1).max(200),
	reason: z.string().trim().min(1).max(2_000).describe("What goes wrong, and when"),
});
export type Finding = z.infer<typeof Finding>;

const MAX_FINDINGS = 50;

export const Findings = z.object({ findings: z.array(Finding).max(MAX_FINDINGS) });
