import { type Block, NOTHING_SPLIT, type Split, splitBlocks, splitWhole } from "../markdown/blocks.ts";
import type { References } from "../markdown/markdown-parser.ts";
import type { Entry, MessageEntry } from "./entry.ts";
import { estimateBlock, estimateEntry, estimateText } from "./estimate-height.ts";
import { getText, type Transcript } from "./transcript.ts";

/**
 * One row of the list. Each block of an answer is a row, so that a huge answer costs no more than its visible blocks.
 * Rows keep their identity while nothing about them changes, so that redrawing can skip them.
 */
export type Row = BlockRow | EntryRow | UnsplitRow | StepsRow;

interface AnyRow {
	readonly key: string;
	readonly kind: Entry["kind"] | "steps";
	readonly itemId: string | undefined;
	/** Estimated height in pixels until the row is measured. */
	readonly estimate: number;
}

export interface BlockRow extends AnyRow {
	readonly type: "block";
	readonly block: Block;
	readonly references: References;
	readonly position: "first" | "later";
}

export interface EntryRow extends AnyRow {
	readonly type: "entry";
	readonly entry: Entry;
	/** Text so far; while the entry is streaming, this is more than the entry holds. */
	readonly text: string;
	/** Shown below the line that it is folded into. */
	readonly isFolded?: true;
}

/** Steps of a turn, folded into one line that says what was done. */
export interface StepsRow extends AnyRow {
	readonly type: "steps";
	readonly steps: readonly EntryRow[];
	/** From the start of the first step to the end of the last. */
	readonly ms: number;
}

/** An answer that was never in view. Splitting thousands of answers before the first paint would take a second. */
export interface UnsplitRow extends AnyRow {
	readonly type: "unsplit";
	readonly entry: MessageEntry;
}

export interface RowList {
	readonly rows: readonly Row[];
	readonly growing: ReadonlyMap<string, Growing>;
}

interface Growing {
	readonly split: Split;
	readonly rows: readonly Row[];
}

export const NO_ROWS: RowList = { rows: [], growing: new Map() };

export function buildRows(transcript: Transcript, previous: RowList): RowList {
	const rows: Row[] = [];
	const growing = new Map<string, Growing>();
	for (const [index, entry] of transcript.entries.entries()) {
		if (isShownElsewhere(entry, transcript) || isRepeated(transcript.entries, index)) continue;
		const known = MADE.get(entry) ?? makeRows(transcript, entry, { previous, growing });
		for (const row of known) rows.push(row);
	}
	return { rows, growing };
}

/** What a running turn was told is shown when the turn has ended. */
function isShownElsewhere(entry: Entry, { running }: Pick<Transcript, "running">): boolean {
	return entry.kind === "context" && entry.turnId === running?.turnId;
}

/** A prompt of a turn that failed before anything came of it, and that was then sent again as it was. */
function isRepeated(entries: readonly Entry[], index: number): boolean {
	const [first, end, again] = entries.slice(index, index + 3);
	return (
		first?.kind === "userMessage" &&
		end?.kind === "turnEnd" &&
		again?.kind === "userMessage" &&
		first.turnId === end.turnId &&
		first.messageKind === "plain" &&
		first.text === again.text &&
		first.images.length === again.images.length
	);
}

/** The block rows of an unsplit row. */
export function expandRow({ entry }: UnsplitRow): readonly Row[] {
	const made = MADE.get(entry);
	if (made && made[0]?.type !== "unsplit") return made;
	return remember(entry, messageRows(entry, splitWhole(entry.text, NOTHING_SPLIT), []));
}

/** Entries are immutable, so their rows are cached; they change only once, from unsplit to split. */
const MADE = new WeakMap<Entry, readonly Row[]>();

interface Making {
	readonly previous: RowList;
	readonly growing: Map<string, Growing>;
}

function makeRows(transcript: Transcript, entry: Entry, { previous, growing }: Making): readonly Row[] {
	if (entry.kind === "agentMessage") {
		const before = previous.growing.get(entry.itemId);
		if (entry.state === "streaming") {
			const split = splitBlocks(getText(transcript, entry), before?.split ?? NOTHING_SPLIT);
			const rows = messageRows(entry, split, before?.rows ?? []);
			growing.set(entry.itemId, { split, rows });
			return rows;
		}
		if (before) return remember(entry, messageRows(entry, splitWhole(entry.text, before.split), before.rows));
		return remember(entry, [unsplitRow(entry)]);
	}
	if (entry.kind === "toolCall" && entry.status === "running") {
		return [entryRow(entry, transcript.live.get(entry.itemId) ?? entry.output)];
	}
	if (entry.kind === "draft") return [entryRow(entry, getText(transcript, entry))];
	if (entry.kind === "reasoning" && entry.state === "streaming") return [entryRow(entry, getText(transcript, entry))];
	return remember(entry, [entryRow(entry, textIn(entry))]);
}

function messageRows(entry: MessageEntry, split: Split, before: readonly Row[]): readonly Row[] {
	const rows: Row[] = [...split.finished, ...split.open].map((block, index) => {
		const known = before[index];
		const same = known?.type === "block" && known.block === block && known.references === split.references;
		return same ? known : blockRow(entry, { block, index, references: split.references });
	});
	if (entry.state === "cut") rows.push({ ...entryRow(entry, ""), key: `${entry.key}.cut` });
	return rows;
}

function blockRow(
	{ key, kind, itemId }: MessageEntry,
	{ block, index, references }: { readonly block: Block; readonly index: number; readonly references: References },
): BlockRow {
	const position = index === 0 ? "first" : "later";
	const estimate = estimateBlock(block.source);
	return { type: "block", key: `${key}.${index}`, kind, itemId, block, references, position, estimate };
}

function unsplitRow(entry: MessageEntry): UnsplitRow {
	const { key, kind, itemId, text } = entry;
	return { type: "unsplit", key, kind, itemId, entry, estimate: estimateText(text) };
}

function entryRow(entry: Entry, text: string): EntryRow {
	const itemId = "itemId" in entry ? entry.itemId : undefined;
	return { type: "entry", key: entry.key, kind: entry.kind, itemId, entry, text, estimate: estimateEntry(entry) };
}

function textIn(entry: Entry): string {
	if (entry.kind === "toolCall") return entry.output;
	return "text" in entry ? entry.text : "";
}

function remember(entry: Entry, rows: readonly Row[]): readonly Row[] {
	MADE.set(entry, rows);
	return rows;
}
