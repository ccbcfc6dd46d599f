import type { ReviewedFile, ReviewedHunk } from "../../agent-host/protocol/thread/review.ts";
import { t } from "../../l10n/t.ts";

/** A hunk's lines, counted from 0, both inside a document of so many. */
export function clampLines(
	{ line, added }: Pick<ReviewedHunk, "line" | "added">,
	lineCount: number,
): { readonly from: number; readonly to: number } {
	const last = Math.max(0, lineCount - 1);
	const from = Math.min(line - 1, last);
	return { from, to: Math.min(from + Math.max(0, added.length - 1), last) };
}

/** What a hunk does, in a few words, and whether its file runs with the build. */
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
