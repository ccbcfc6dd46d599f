import { t } from "../../l10n/t.ts";

/** A comment of the user on a line of a plan; lines are counted from 0. */
export interface PlanComment {
	readonly line: number;
	readonly text: string;
}

/** A plan as the user wants it. */
export interface EditedPlan {
	readonly text: string;
	readonly comments: readonly PlanComment[];
}

/** Longer lines are named by their beginning. */
const MAX_QUOTED_CHARS = 80;

/** Has the plan carried out, in the thread that made it or in one that knows nothing else. */
export function writeGoPrompt(plan: EditedPlan): string {
	const ask = t(
		"Carry out this plan, step by step. Keep update_plan current: exactly these steps, in the same words and order.",
	);
	return join(ask, plan);
}

/** Asks for another plan; the answer replaces the document. */
export function writeRevisePrompt(plan: EditedPlan): string {
	return join(t("Revise this plan as I edited it, and answer with the whole new plan."), plan);
}

function join(ask: string, { text, comments }: EditedPlan): string {
	const parts = [ask, text.trim()];
	if (comments.length > 0) parts.push([t("My comments on its lines:"), ...quoteComments(text, comments)].join("\n"));
	return parts.join("\n\n");
}

function quoteComments(text: string, comments: readonly PlanComment[]): readonly string[] {
	const lines = text.split(/\r?\n/);
	return comments
		.toSorted((a, b) => a.line - b.line)
		.map(({ line, text: words }) => {
			const quoted = (lines[line] ?? "").trim();
			const cut = quoted.length > MAX_QUOTED_CHARS ? `${quoted.slice(0, MAX_QUOTED_CHARS)}…` : quoted;
			return `- ${t("Line {0}, “{1}”: {2}", line + 1, cut, words)}`;
		});
}

/** A change that replaced `start` to `end` by text with so many line breaks. */
export interface LineChange {
	readonly start: number;
	readonly end: number;
	/** Column of the end; at 0, the end's line is moved as a whole. */
	readonly endColumn: number;
	readonly breaks: number;
}

/** Where a line is after a change. */
export function followLine(line: number, { start, end, endColumn, breaks }: LineChange): number {
	if (line > end || (line === end && endColumn === 0)) return line + breaks - (end - start);
	return line <= start ? line : Math.min(line, start + breaks);
}
