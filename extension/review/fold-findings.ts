import { resolve } from "node:path";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { type Finding, REPORT_FINDINGS, Findings as Report } from "../../agent-host/protocol/thread/finding.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";

/** A finding with the whole path of its file. */
export interface PlacedFinding extends Finding {
	readonly file: string;
}

/** The newest review of a thread, and the folder that its turn works in. */
export interface ReviewOf {
	readonly cwd: string | undefined;
	readonly findings: readonly PlacedFinding[] | undefined;
}

export const NO_REVIEW: ReviewOf = { cwd: undefined, findings: undefined };

/** Paths of a report start at the folder of its turn; `first` is for threads that do not say theirs. */
export function foldFindings(review: ReviewOf, event: ThreadEvent, first = "/"): ReviewOf {
	if (event.type === "turnStarted") return { ...review, cwd: event.envelope.cwd };
	const report = readReport(event);
	if (report === undefined) return review;
	const base = review.cwd ?? first;
	return { ...review, findings: report.findings.map((one) => ({ ...one, file: resolve(base, one.path) })) };
}

/** The report that an event completes; anything else, also a malformed report, is none. */
function readReport(event: ThreadEvent): ReturnType<typeof Report.parse> | undefined {
	if (event.type !== "itemCompleted" || !isCall(event.item)) return undefined;
	const { name, status, arguments: json } = event.item;
	if (name !== REPORT_FINDINGS || status !== "completed") return undefined;
	try {
		return Report.parse(JSON.parse(json));
	} catch {
		return undefined;
	}
}
