import { countLines } from "../words/text.ts";
import type { Entry } from "./entry.ts";

const LINE_PX = 20;
const CODE_LINE_PX = 18;
const CODE_FRAME_PX = 44;
const CHARS_PER_LINE = 55;
const BLOCK_GAP_PX = 8;
export const FOLDED_PX = 26;
const THUMBNAIL_PX = 72;
/** How much of a long prompt is shown before it is expanded. */
export const SHOWN_PROMPT_LINES = 12;

/** Estimated heights, used until a row is measured. They only affect the size of the scroll bar. */
export function estimateBlock(source: string): number {
	if (/^ {0,3}(```|~~~)/.test(source)) return countLines(source) * CODE_LINE_PX + CODE_FRAME_PX;
	return estimateText(source) + BLOCK_GAP_PX;
}

export function estimateText(text: string): number {
	return Math.max(countLines(text), Math.ceil(text.length / CHARS_PER_LINE)) * LINE_PX;
}

export function estimateEntry(entry: Entry): number {
	switch (entry.kind) {
		case "userMessage":
			return (
				Math.min(estimateText(entry.text), SHOWN_PROMPT_LINES * LINE_PX) +
				3 * BLOCK_GAP_PX +
				(entry.images.length === 0 ? 0 : THUMBNAIL_PX + BLOCK_GAP_PX)
			);
		case "notice":
		case "warning":
			return estimateText(entry.text) + BLOCK_GAP_PX;
		case "goal":
			return estimateText(`${entry.goal.reason ?? ""}\n${entry.goal.report ?? ""}`) + FOLDED_PX;
		case "approval":
		case "question":
		case "contextCompaction":
		case "changes":
		case "restored":
		case "rolledBack":
		case "turnSummary":
			return FOLDED_PX;
		case "turnEnd":
			return entry.status === "failed" ? 4 * LINE_PX : FOLDED_PX;
		case "agentMessage":
		case "reasoning":
		case "toolCall":
		case "context":
		case "draft":
			return FOLDED_PX;
	}
}
