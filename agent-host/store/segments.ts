import { basename, dirname } from "node:path";
import type { Disk } from "./disk.ts";
import type { EventPlace } from "./event-log.ts";
import { CHECKSUM_CHARS, ITEM_KINDS, parseRecord, type ThreadRecord } from "./record.ts";
import { type Peek, type ScannedLine, scanLines } from "./scan.ts";

/**
 * A thread's file, and those that took over when the disk failed to sync it: `x.jsonl`, `x.jsonl.2`, `x.jsonl.3`. A record
 * that stands in several of them is the same record; the first intact one counts.
 */
export interface LoadedThread {
	/** The records that the state of the thread follows from. Events that only the transcript shows are left on disk. */
	readonly records: readonly ThreadRecord[];
	/** Where each event stands, in order. */
	readonly events: readonly EventPlace[];
	/** Number and time of the newest record. */
	readonly last: { readonly n: number; readonly at: number };
	/** Records whose bytes are not what was written. */
	readonly damaged: number;
	/** Written by a newer release: the thread can be read, not continued. */
	readonly newer: boolean;
	/** Path of the newest segment, to which new records go. */
	readonly path: string;
	/** Bytes of the newest segment, and how many of them are whole lines. */
	readonly bytes: number;
	readonly wholeBytes: number;
}

interface Segment {
	readonly path: string;
	readonly content: Buffer;
	readonly lines: readonly ScannedLine[];
}

interface Entry {
	readonly segment: Segment;
	readonly line: ScannedLine;
	readonly peek: Peek;
}

/** Events that change nothing but the transcript, once their turn is over. */
const SHOWN_ONLY: ReadonlySet<string> = new Set(["itemStarted", "itemCompleted", "contextUpdated", "usage", "warning"]);

export async function loadThread(disk: Disk, path: string): Promise<LoadedThread> {
	const segments = await Promise.all((await segmentPaths(disk, path)).map((segment) => readSegment(disk, segment)));
	const newest = segments.at(-1);
	if (newest === undefined) throw Object.assign(new Error(`There is no file ${path}.`), { code: "ENOENT" });
	const lines = segments.flatMap(({ lines }) => lines);
	const entries = orderEntries(segments);
	const parsed = neededEntries(entries).map(parseEntry);
	const last = entries.at(-1)?.peek;
	return {
		records: parsed.flatMap((line) => (line.state === "good" ? [line.record] : [])),
		events: entries.flatMap(({ segment, line, peek }) =>
			peek.seq === undefined ? [] : [{ seq: peek.seq, path: segment.path, start: line.start, length: line.length }],
		),
		last: { n: last?.n ?? 0, at: last?.at ?? 0 },
		damaged: lines.filter(({ content }) => content === "damaged").length,
		newer: lines.some(({ content }) => content === "odd") || parsed.some(({ state }) => state !== "good"),
		path: newest.path,
		bytes: newest.content.length,
		wholeBytes: (newest.lines.at(-1)?.start ?? 0) + (newest.lines.at(-1)?.length ?? -1) + 1,
	};
}

/** The segments of a thread that exist, oldest first. */
export async function segmentPaths(disk: Disk, path: string): Promise<readonly string[]> {
	const name = basename(path);
	const names = await disk.list(dirname(path));
	const numbers = names
		.flatMap((entry) =>
			entry === name ? [1] : entry.startsWith(`${name}.`) ? [Number(entry.slice(name.length + 1))] : [],
		)
		.filter((number) => Number.isInteger(number) && number > 0);
	return numbers.sort((a, b) => a - b).map((number) => (number === 1 ? path : `${path}.${number}`));
}

export function nextSegment(path: string, current: string): string {
	const number = current === path ? 1 : Number(current.slice(path.length + 1));
	return `${path}.${number + 1}`;
}

async function readSegment(disk: Disk, path: string): Promise<Segment> {
	const content = await disk.read(path);
	return { path, content, lines: scanLines(content) };
}

function orderEntries(segments: readonly Segment[]): readonly Entry[] {
	const byNumber = new Map<number, Entry>();
	for (const segment of segments) {
		for (const line of segment.lines) {
			if (typeof line.content === "string" || byNumber.has(line.content.n)) continue;
			byNumber.set(line.content.n, { segment, line, peek: line.content });
		}
	}
	const entries = [...byNumber.values()];
	return segments.length === 1 ? entries : entries.sort((a, b) => a.peek.n - b.peek.n);
}

/** All but the events that only the transcript shows; of those, the last usage and whatever belongs to a turn still open. */
function neededEntries(entries: readonly Entry[]): readonly Entry[] {
	const lastOf = (type: string) => entries.findLastIndex(({ peek }) => peek.type === type);
	const started = lastOf("turnStarted");
	const open = lastOf("turnCompleted") > started ? entries.length : started;
	const usage = lastOf("usage");
	return entries.filter(({ peek }, index) => {
		const isKnownItem = peek.itemKind === undefined || ITEM_KINDS.has(peek.itemKind);
		return !SHOWN_ONLY.has(peek.type ?? "") || !isKnownItem || index > open || index === usage;
	});
}

function parseEntry({ segment, line }: Entry): ReturnType<typeof parseRecord> {
	return parseRecord(segment.content.toString("utf8", line.start + CHECKSUM_CHARS + 1, line.start + line.length));
}
