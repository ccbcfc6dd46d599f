import { crc32 } from "node:zlib";
import { decodeText, listLines, splitText } from "./text-file.ts";

/** A text, or its bytes in UTF-8: those of a file are compared as they are, without decoding it. */
export type ReadText = string | Uint8Array;

/** Remembers which file contents a thread's model has seen, so that it does not change a file that differs by now. */
export interface ReadLog {
	/** The model was shown this text, or wrote it. */
	readonly recordRead: (path: string, text: ReadText) => void;
	/** The message for the model if a file differs from what it read; undefined if it does not, or was never read. */
	readonly changedSince: (path: string, text: ReadText) => string | undefined;
	readonly recordFailure: (path: string) => void;
	/** Whether patches of a file failed so often in this turn that it must be read again first. */
	readonly mustRead: (path: string) => boolean;
	readonly startTurn: () => void;
}

/** Limit for remembered files; the least recently read one is dropped first. */
const MAX_FILES = 500;
/** Limits for a file whose lines are remembered; of a longer one only a hash of the whole is kept. */
const MAX_LINES = 100_000;
const MAX_BYTES = 1_000_000;
const MAX_FAILURES = 2;
const MAX_SHOWN_LINES = 40;
const MAX_SHOWN_CHARS = 300;

/** Tells whether a text is the same, and the hashes of its lines unless they are too many or too long. */
interface Seen {
	readonly bytes: number;
	readonly checksum: number;
	readonly lines: readonly number[] | undefined;
}

export function createReadLog(): ReadLog {
	const seen = new Map<string, Seen>();
	const failures = new Map<string, number>();
	const recordRead = (path: string, text: ReadText): void => {
		seen.delete(path);
		seen.set(path, { bytes: countBytes(text), checksum: crc32(text), lines: hashLines(text) });
		failures.delete(path);
		const [oldest] = seen.keys();
		if (seen.size > MAX_FILES && oldest !== undefined) seen.delete(oldest);
	};
	return {
		recordRead,
		changedSince: (path, text) => {
			const before = seen.get(path);
			if (before === undefined || isSame(before, text)) return undefined;
			const now = hashLines(text);
			if (now === undefined || before.lines === undefined) return "changed since you read it. Read it again.";
			const { from, to } = changedRange(before.lines, now);
			// Only line ends differ.
			if (from === to && now.length === before.lines.length) return undefined;
			if (to - from > MAX_SHOWN_LINES)
				return `changed since you read it, in lines ${from + 1} to ${to}. Read it again.`;
			// The model has now seen the changes, so its next patch may build on them.
			recordRead(path, text);
			return describe(splitLines(asText(text)), from, to);
		},
		recordFailure: (path) => failures.set(path, (failures.get(path) ?? 0) + 1),
		mustRead: (path) => (failures.get(path) ?? 0) >= MAX_FAILURES,
		startTurn: () => failures.clear(),
	};
}

function splitLines(text: string): readonly string[] {
	const file = splitText(text);
	return "refusal" in file ? [] : listLines(file);
}

/** Longer lines get a checksum instead of a step for each character, which would hold up the host. */
const MAX_HASHED_CHARS = 1_000;

/**
 * A hash for each line, as `splitText` splits them; undefined if they are too many or too long. A collision only
 * suppresses a warning: hunks are compared with the text itself.
 */
function hashLines(whole: ReadText): readonly number[] | undefined {
	if (countBytes(whole) > MAX_BYTES) return undefined;
	const text = asText(whole);
	const hashes: number[] = [];
	let start = text.startsWith("\uFEFF") ? 1 : 0;
	let [nextLf, nextCr] = [text.indexOf("\n"), text.indexOf("\r")];
	while (nextLf >= 0 || nextCr >= 0) {
		const isCr = nextCr >= 0 && (nextLf < 0 || nextCr < nextLf);
		const end = isCr ? nextCr : nextLf;
		hashes.push(hash(text, start, end));
		if (hashes.length > MAX_LINES) return undefined;
		start = end + (isCr && nextLf === end + 1 ? 2 : 1);
		if (nextLf >= 0 && nextLf < start) nextLf = text.indexOf("\n", start);
		if (isCr) nextCr = text.indexOf("\r", start);
	}
	if (start < text.length) hashes.push(hash(text, start, text.length));
	return hashes;
}

/** Fast: 53 bits. */
function hash(text: string, start: number, end: number): number {
	if (end - start > MAX_HASHED_CHARS) return crc32(text.slice(start, end));
	let [high, low] = [0xdeadbeef, 0x41c6ce57];
	for (let index = start; index < end; index += 1) {
		const unit = text.charCodeAt(index);
		high = Math.imul(high ^ unit, 2_654_435_761);
		low = Math.imul(low ^ unit, 1_597_334_677);
	}
	return 4_294_967_296 * (2_097_151 & (low ^ (low >>> 16))) + ((high ^ (high >>> 16)) >>> 0);
}

function isSame({ bytes, checksum }: Seen, text: ReadText): boolean {
	return bytes === countBytes(text) && checksum === crc32(text);
}

function countBytes(text: ReadText): number {
	return typeof text === "string" ? Buffer.byteLength(text) : text.length;
}

function asText(text: ReadText): string {
	const decoded = typeof text === "string" ? text : decodeText(text);
	return typeof decoded === "string" ? decoded : "";
}

/** The range of lines in `now` from the first difference to the last. */
function changedRange(
	before: readonly number[],
	now: readonly number[],
): { readonly from: number; readonly to: number } {
	const shorter = Math.min(before.length, now.length);
	let from = 0;
	while (from < shorter && before[from] === now[from]) from += 1;
	let same = 0;
	while (same < shorter - from && before.at(-1 - same) === now.at(-1 - same)) same += 1;
	return { from, to: now.length - same };
}

function describe(lines: readonly string[], from: number, to: number): string {
	if (from === to) return `changed since you read it: lines after line ${from} were removed. No changes were made.`;
	const shown = lines.slice(from, to).map((line, index) => `${from + index + 1}: ${line.slice(0, MAX_SHOWN_CHARS)}`);
	return `changed since you read it. These lines are different now; no changes were made:\n${shown.join("\n")}`;
}
