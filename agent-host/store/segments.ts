import { basename, dirname } from "node:path";
import type { Disk } from "./disk.ts";
import { decodeRecord, type ThreadRecord } from "./record.ts";

/**
 * A thread's file, and those that took over when the disk failed to sync it: `x.jsonl`, `x.jsonl.2`, `x.jsonl.3`. A record
 * that stands in several of them is the same record; the first intact one counts.
 */
export interface LoadedThread {
	readonly records: readonly ThreadRecord[];
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
	readonly wholeBytes: number;
}

const LINE_FEED = 0x0a;

export async function loadThread(disk: Disk, path: string): Promise<LoadedThread> {
	const segments = await Promise.all((await segmentPaths(disk, path)).map((segment) => readSegment(disk, segment)));
	const last = segments.at(-1);
	if (last === undefined) throw Object.assign(new Error(`There is no file ${path}.`), { code: "ENOENT" });
	const decoded = segments.flatMap(({ content, wholeBytes }) =>
		content.subarray(0, wholeBytes).toString("utf8").split("\n").slice(0, -1).map(decodeRecord),
	);
	const records = new Map<number, ThreadRecord>();
	for (const line of decoded) {
		if (line.state === "good" && !records.has(line.record.n)) records.set(line.record.n, line.record);
	}
	return {
		records: [...records.values()].sort((a, b) => a.n - b.n),
		damaged: decoded.filter((line) => line.state === "damaged").length,
		newer: decoded.some((line) => line.state === "newer"),
		path: last.path,
		bytes: last.content.length,
		wholeBytes: last.wholeBytes,
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
	return { path, content, wholeBytes: content.lastIndexOf(LINE_FEED) + 1 };
}
