import type { References } from "./markdown-parser.ts";
import { type Piece, type Reading, readBlocks } from "./read-blocks.ts";

/** One top-level block of a message: a paragraph, a list, a code fence. */
export interface Block {
	readonly source: string;
	/** True if no further text can change this block. */
	readonly finished: boolean;
}

export interface Split {
	readonly text: string;
	readonly finished: readonly Block[];
	/** Blocks after the finished ones, as far as they can be parsed now. */
	readonly open: readonly Block[];
	/** Offset at which the open blocks start. */
	readonly openAt: number;
	/** Link definitions in the finished part. */
	readonly settled: References;
	/** All link definitions; they may come after the text that uses them. */
	readonly references: References;
}

export const NOTHING_SPLIT: Split = { text: "", finished: [], open: [], openAt: 0, settled: {}, references: {} };

/** Splits a text that may still grow. Only the part after the finished blocks of `previous` is parsed again. */
export function splitBlocks(text: string, previous: Split): Split {
	const base = text.startsWith(previous.text) ? previous : NOTHING_SPLIT;
	const settled = settleBlocks(text, base);
	const tail = readBlocks(text.slice(settled.openAt), settled.settled);
	const references = keepSame(previous.references, tail.references);
	return { ...settled, text, references, open: toBlocks(tail.pieces, false) };
}

/** Splits a complete text, so that every block is finished. */
export function splitWhole(text: string, previous: Split): Split {
	const split = splitBlocks(text, previous);
	const last = split.open.map(({ source }) => ({ source, finished: true }));
	return { ...split, finished: [...split.finished, ...last], open: [], openAt: text.length, settled: split.references };
}

/** Blocks that end at a blank line. Lists, quotes and indented code continue after one. */
const ENDED_BY_BLANK_LINE = new Set(["paragraph_open", "heading_open", "table_open", "hr", "fence", "math_block"]);

/** Moves blocks that can no longer change from the open part to the finished part. */
function settleBlocks(text: string, base: Split): Split {
	const complete = completeLines(text, base);
	if (!complete) return base;
	const reading = readBlocks(complete, base.settled);
	const final = reading.pieces.slice(0, countFinal(reading));
	const end = final.at(-1)?.lines[1];
	if (end === undefined) return base;
	const labels = final.flatMap((piece) => piece.labels);
	return {
		...base,
		finished: [...base.finished, ...toBlocks(final, true)],
		openAt: base.openAt + (reading.lineStarts[end] ?? 0),
		settled: labels.length ? { ...base.settled, ...pickReferences(reading.references, labels) } : base.settled,
	};
}

/** The complete lines of the open part; empty if no line was completed since the last split. */
function completeLines(text: string, base: Split): string {
	const tail = text.slice(base.openAt);
	const end = Math.max(tail.lastIndexOf("\n"), tail.lastIndexOf("\r")) + 1;
	return base.openAt + end >= base.text.length ? tail.slice(0, end) : "";
}

/**
 * Number of leading blocks that are final, given complete lines only. A block is final once another one follows: the
 * rules that end a block look at whole lines, and a further line never undoes an end. The exception is a link
 * definition, whose title may continue in the lines of the following block until that block has ended.
 */
function countFinal({ pieces, lineStarts }: Reading): number {
	let count = pieces.length;
	let followerIsFinal = false;
	for (const [index, piece] of [...pieces.entries()].reverse()) {
		const next = pieces[index + 1];
		const blankAfter = piece.lines[1] < (next?.lines[0] ?? lineStarts.length - 1);
		const isFinal: boolean = next
			? piece.labels.length === 0 || blankAfter || followerIsFinal
			: blankAfter && piece.labels.length === 0 && ENDED_BY_BLANK_LINE.has(piece.type);
		if (!isFinal) count = index;
		followerIsFinal = isFinal;
	}
	return count;
}

function toBlocks(pieces: readonly Piece[], finished: boolean): Block[] {
	return pieces.flatMap(({ type, source }) => (type === "reference_definition" ? [] : [{ source, finished }]));
}

function pickReferences(references: References, labels: readonly string[]): References {
	const picked: References = {};
	for (const label of labels) if (references[label]) picked[label] = references[label];
	return picked;
}

/** Rows are redrawn when their definitions are a different object, so an equal object is reused. */
function keepSame(before: References, now: References): References {
	return JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

/** Code is never too long to format. */
export function isCodeFence(source: string): boolean {
	return /^ {0,3}(```|~~~)/.test(source);
}
