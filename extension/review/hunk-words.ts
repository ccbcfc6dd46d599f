import type { ReviewedFile, ReviewedHunk } from "../../agent-host/protocol/thread/review.ts";
import { t } from "../../l10n/t.ts";

/** First and last line of a hunk, counted from 0 and clamped to the document's length. */
export function clampLines(
	{ line, added }: Pick<ReviewedHunk, "line" | "added">,
	lineCount: number,
): { readonly from: number; readonly to: number } {
	const last = Math.max(0, lineCount - 1);
	const from = Math.min(line - 1, last);
	return { from, to: Math.min(from + Math.max(0, added.length - 1), last) };
}

/** Short description of a hunk, and whether the build runs its file. */
export function describeHunk(
	{ removed, added, state }: Pick<ReviewedHunk, "removed" | "added" | "state">,
	{ runsWithBuild }: Partial<Pick<ReviewedFile, "runsWithBuild">> = {},
): string {
	const parts = [
		...(added.length > 0 ? [`+${added.length}`] : []),
		...(removed.length > 0 ? [`−${removed.length}`] : []),
		...(state === "changed" ? [t("changed by you")] : []),
	];
	return [parts.join(" "), ...(runsWithBuild ? [t("Runs with your build or tests")] : [])].join(" · ");
}
