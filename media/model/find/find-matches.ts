import { describePause, nameGoalState } from "../../../l10n/goal-words.ts";
import { sayHost, sayNamed } from "../../../l10n/host-words.ts";
import { describeAnswer, describeQuestion } from "../../../l10n/question-words.ts";
import type { ContextEntry, Entry, TurnFacts } from "../thread/entry.ts";
import { expandRow, type Row } from "../thread/rows.ts";

/** One match in the thread, drawn or not. */
export interface Match {
	readonly row: string;
	/** Index among the matches of its row. */
	readonly nth: number;
	/** The fold that must be open for the match to be visible. */
	readonly fold: string | undefined;
}

/** All matches, from top to bottom. */
export function findMatches(rows: readonly Row[], query: string): readonly Match[] {
	const pattern = buildPattern(query);
	return pattern === undefined ? [] : rows.flatMap((row) => findInRow(row, pattern));
}

/** Ignores case and takes the query literally. Undefined if the query is blank. */
export function buildPattern(query: string): RegExp | undefined {
	return query.trim() === "" ? undefined : new RegExp(query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
}

/** Rows are immutable, so while a thread grows only new rows are searched. */
const KNOWN = new WeakMap<Row, { readonly source: string; readonly matches: readonly Match[] }>();

function findInRow(row: Row, pattern: RegExp): readonly Match[] {
	const known = KNOWN.get(row);
	if (known?.source === pattern.source) return known.matches;
	const matches = searchRow(row, pattern);
	KNOWN.set(row, { source: pattern.source, matches });
	return matches;
}

function searchRow(row: Row, pattern: RegExp): readonly Match[] {
	if (row.type === "unsplit") {
		// Only an answer with a match is worth splitting into blocks.
		return countMatches(row.entry.text, pattern) === 0 ? [] : expandRow(row).flatMap((own) => findInRow(own, pattern));
	}
	// A match in a step opens that step and the line that it is folded into.
	if (row.type === "steps") return row.steps.flatMap((step) => findInRow(step, pattern));
	const text = row.type === "block" ? row.block.source : readVisibleText(row.entry, row.text);
	const fold = row.type === "entry" && row.kind !== "agentMessage" ? row.key : undefined;
	return Array.from({ length: countMatches(text, pattern) }, (_, nth) => ({ row: row.key, nth, fold }));
}

function countMatches(text: string, pattern: RegExp): number {
	let count = 0;
	for (const _ of text.matchAll(pattern)) count++;
	return count;
}

/** The text that a reader can see when the entry is open. */
function readVisibleText(entry: Entry, text: string): string {
	switch (entry.kind) {
		case "toolCall":
			return [entry.title || entry.name, entry.arguments, text].join("\n");
		case "context":
			return readFragments(entry);
		case "contextCompaction":
			return entry.report.summary;
		case "approval":
			return sayNamed(entry.request.reason, entry.request.reasonSaid);
		case "question":
			return [
				describeQuestion(entry.request.subject),
				entry.state.kind === "answered" ? describeAnswer(entry.state.choice, entry.state.answers) : "",
			].join("\n");
		case "goal":
			return [nameGoalState(entry.goal), describePause(entry.goal), entry.goal.report ?? ""].join("\n");
		case "changes":
			return entry.paths.join("\n");
		case "turnSummary":
			return readFacts(entry.facts);
		case "turnEnd":
			return [entry.error ? sayHost(entry.error) : "", readFacts(entry.facts)].join("\n");
		case "userMessage":
		case "agentMessage":
		case "reasoning":
		case "draft":
		case "notice":
		case "warning":
		case "restored":
		case "rolledBack":
			return text;
	}
}

function readFragments({ fragments }: ContextEntry): string {
	return fragments.map(({ kind, summary }) => `${kind} ${summary}`).join("\n");
}

/** Names of changed files are a tooltip, so they are not found. */
function readFacts({ context }: TurnFacts): string {
	return context.map(readFragments).join("\n");
}
