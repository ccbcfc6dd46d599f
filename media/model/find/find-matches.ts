import { describeQuestion } from "../../../l10n/question-words.ts";
import type { Entry } from "../thread/entry.ts";
import { expandRow, type Row } from "../thread/rows.ts";

/** One place in the thread that holds what is looked for, drawn or not. */
export interface Match {
	readonly row: string;
	/** Which one it is among those of its row, counted from 0. */
	readonly nth: number;
	/** What must be open for it to be seen. */
	readonly fold: string | undefined;
}

/** All places, from the top of the thread to its end. */
export function findMatches(rows: readonly Row[], query: string): readonly Match[] {
	const pattern = buildPattern(query);
	return pattern === undefined ? [] : rows.flatMap((row) => matchesIn(row, pattern));
}

/** Any case; letters stand for themselves. Nothing is found by spaces alone. */
export function buildPattern(query: string): RegExp | undefined {
	return query.trim() === "" ? undefined : new RegExp(query.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
}

/** Rows never change, so while a thread grows only what is new is looked through again. */
const KNOWN = new WeakMap<Row, { readonly source: string; readonly matches: readonly Match[] }>();

function matchesIn(row: Row, pattern: RegExp): readonly Match[] {
	const known = KNOWN.get(row);
	if (known?.source === pattern.source) return known.matches;
	const matches = lookThrough(row, pattern);
	KNOWN.set(row, { source: pattern.source, matches });
	return matches;
}

function lookThrough(row: Row, pattern: RegExp): readonly Match[] {
	if (row.type === "unsplit") {
		// Only an answer that holds it is worth splitting into the rows that will be drawn.
		return countIn(row.entry.text, pattern) === 0 ? [] : expandRow(row).flatMap((own) => matchesIn(own, pattern));
	}
	// Steps that are found open themselves, and with them the line that they are folded into.
	if (row.type === "steps") return row.steps.flatMap((step) => matchesIn(step, pattern));
	const text = row.type === "block" ? row.block.source : textIn(row.entry, row.text);
	const fold = row.type === "entry" && row.kind !== "agentMessage" ? row.key : undefined;
	return Array.from({ length: countIn(text, pattern) }, (_, nth) => ({ row: row.key, nth, fold }));
}

function countIn(text: string, pattern: RegExp): number {
	let count = 0;
	for (const _ of text.matchAll(pattern)) count++;
	return count;
}

/** What a reader can see of an entry, at least when it is open. */
function textIn(entry: Entry, text: string): string {
	switch (entry.kind) {
		case "toolCall":
			return [entry.title || entry.name, entry.arguments, text].join("\n");
		case "context":
			return entry.fragments.map(({ kind, summary }) => `${kind} ${summary}`).join("\n");
		case "contextCompaction":
			return entry.report.summary;
		case "approval":
			return entry.request.reason;
		case "question":
			return describeQuestion(entry.request.subject);
		case "changes":
			return entry.paths.join("\n");
		case "turnEnd":
			return entry.error?.message ?? "";
		case "userMessage":
		case "agentMessage":
		case "reasoning":
		case "draft":
		case "notice":
		case "warning":
		case "restored":
			return text;
	}
}
