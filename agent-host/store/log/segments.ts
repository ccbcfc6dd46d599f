import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk, ReadFile } from "../home/disk.ts";
import { groupSegments } from "../home/group-segments.ts";
import { type ScannedLine, scanLine } from "../records/scan-records.ts";

/**
 * Bytes read at a time, and the first time, because most threads are short. A long one is never in memory as a whole.
 */
const PIECE_BYTES = 262_144;
const FIRST_BYTES = 16_384;
const LINE_FEED = 0x0a;

/** The end of a segment. */
export interface SegmentEnd {
	readonly path: string;
	/** Bytes of the file, and how many of them are complete lines. */
	readonly bytes: number;
	readonly wholeBytes: number;
}

/** Called with each line and its segment; awaited if it returns a promise. */
export type TakeLine = (line: ScannedLine, path: string) => Promise<void> | undefined;

/**
 * A thread's file, and its successors after the disk failed to sync: `x.jsonl`, `x.jsonl.2`, `x.jsonl.3`. A record in
 * several of them is the same record; the first intact one counts. Yields every record once, in the order of their
 * numbers; a line with an unreadable number comes as it is found.
 */
export async function readSegments(
	disk: Disk,
	path: string,
	take: TakeLine,
	known?: readonly string[],
): Promise<SegmentEnd> {
	const paths = known ?? (await segmentPaths(disk, path));
	if (paths.length === 0) throw Object.assign(new Error(`${path} was not found.`), { code: "ENOENT" });
	const segments: Segment[] = [];
	try {
		for (const segment of paths) segments.push(await openSegment(disk, segment, 0));
		for (let last = 0; ; ) {
			for (const segment of segments) if (segment.line === undefined) await segment.readOn();
			const first = findFirst(segments);
			if (first?.line === undefined) break;
			const { content } = first.line;
			const isRepeated = typeof content !== "string" && segments.length > 1 && content.n <= last;
			const work = isRepeated ? undefined : take(first.line, first.path);
			if (work !== undefined) await work;
			if (typeof content !== "string") last = content.n;
			first.step();
		}
		return segments.at(-1)?.end() ?? { path, bytes: 0, wholeBytes: 0 };
	} finally {
		for (const segment of segments) await segment.close();
	}
}

/** Reads the complete lines of one segment from `from` on. */
export async function readLines(
	disk: Disk,
	path: string,
	from: number,
	take: TakeLine,
	/** The checksum of everything before `from`. */
	checksum = 0,
): Promise<SegmentEnd & { readonly checksum: number }> {
	const segment = await openSegment(disk, path, from, checksum);
	try {
		while (segment.line !== undefined || (await segment.readOn())) {
			const work = segment.line === undefined ? undefined : take(segment.line, path);
			if (work !== undefined) await work;
			segment.step();
		}
		return { ...segment.end(), checksum: segment.checksum() };
	} finally {
		await segment.close();
	}
}

/** The existing segments of a thread, oldest first. */
export async function segmentPaths(disk: Disk, path: string): Promise<readonly string[]> {
	return groupSegments(await disk.list(dirname(path)), dirname(path)).get(path) ?? [];
}

export function nextSegment(path: string, current: string): string {
	const number = current === path ? 1 : Number(current.slice(path.length + 1));
	return `${path}.${number + 1}`;
}

interface Segment {
	readonly path: string;
	/** The next line, if the buffer contains one. */
	line: ScannedLine | undefined;
	/** Moves to the next line of the buffer. */
	readonly step: () => void;
	/** Reads until there is a line; false at the end of the file. */
	readonly readOn: () => Promise<boolean>;
	readonly end: () => SegmentEnd;
	/** Of all bytes up to the end, also of an incomplete line. */
	readonly checksum: () => number;
	readonly close: () => Promise<void>;
}

async function openSegment(disk: Disk, path: string, from: number, before = 0): Promise<Segment> {
	const file: ReadFile = await disk.openRead(path);
	let piece = Buffer.allocUnsafe(FIRST_BYTES);
	/** The unread part of the buffer, and its place in the file. */
	let [start, end, offset] = [0, 0, from];
	let checksum = before;
	const segment: Segment = {
		path,
		line: undefined,
		step: () => {
			const feed = piece.subarray(0, end).indexOf(LINE_FEED, start);
			segment.line = feed < 0 ? undefined : scanLine(offset, piece.subarray(start, feed));
			if (feed < 0) return;
			offset += feed + 1 - start;
			start = feed + 1;
		},
		readOn: async () => {
			while (segment.line === undefined) {
				// The rest moves to the beginning of the buffer; a line longer than the buffer gets a larger one.
				const isOneLine = end - start === piece.length;
				const size = isOneLine ? piece.length * 2 : end === piece.length ? PIECE_BYTES : piece.length;
				const next = size > piece.length ? Buffer.allocUnsafeSlow(size) : piece;
				piece.copy(next, 0, start, end);
				piece = next;
				[start, end] = [0, end - start];
				const read = await file.read(piece.subarray(end), offset + end);
				if (read === 0) return false;
				checksum = crc32(piece.subarray(end, end + read), checksum);
				end += read;
				segment.step();
			}
			return true;
		},
		end: () => ({ path, bytes: offset + end - start, wholeBytes: offset }),
		checksum: () => checksum,
		close: file.close,
	};
	return segment;
}

/**
 * The segment whose next line comes first: one without a number at once, then the smallest number, then the oldest
 * segment.
 */
function findFirst(segments: readonly Segment[]): Segment | undefined {
	let first: Segment | undefined;
	for (const segment of segments) {
		if (segment.line === undefined) continue;
		if (typeof segment.line.content === "string") return segment;
		if (first === undefined || readNumber(segment) < readNumber(first)) first = segment;
	}
	return first;
}

function readNumber({ line }: Segment): number {
	return line === undefined || typeof line.content === "string" ? Number.POSITIVE_INFINITY : line.content.n;
}
