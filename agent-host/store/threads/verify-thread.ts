import type { ThreadId } from "../../protocol/ids.ts";
import type { Disk } from "../home/disk.ts";
import type { Home } from "../home/home.ts";
import { findThreadFiles, threadPath } from "../home/home.ts";
import { type Blobs, openBlobs } from "../log/blobs.ts";
import { finishRepair, intactPath } from "../log/finish-repair.ts";
import { loadThread } from "../log/load-thread.ts";
import { readSegments } from "../log/segments.ts";
import { lacksSubtree } from "../records/externalize.ts";
import { encodeRecord, parseRecord, type ThreadRecord } from "../records/record.ts";
import { readJson, type ScannedLine } from "../records/scan-records.ts";
import type { Watch } from "./search-threads.ts";

export interface ThreadProblem {
	readonly threadId: ThreadId;
	readonly problem: string;
}

export interface Verification {
	readonly threads: number;
	readonly verified: number;
	readonly problems: readonly ThreadProblem[];
}

/**
 * Reads every record of every thread and all values they refer to, and reports the threads that are damaged. Changes
 * nothing.
 */
export async function verifyThreads(home: Home, { signal, report }: Watch = {}): Promise<Verification> {
	const files = await findThreadFiles(home);
	const problems: ThreadProblem[] = [];
	for (const [index, { threadId, path }] of files.entries()) {
		signal?.throwIfAborted();
		report?.(index, files.length);
		const problem = await findProblem(home.disk, path);
		if (problem !== undefined) problems.push({ threadId, problem });
	}
	return { threads: files.length, verified: files.length - problems.length, problems };
}

/**
 * Writes the intact records of a thread to a new file and keeps the old one beside it. If a record refers to a lost
 * text, the rest of it is kept. The caller holds the thread's lock. Returns how many records were removed or lack
 * something.
 */
export async function repairThread(home: Home, threadId: ThreadId): Promise<number> {
	const path = threadPath(home, threadId);
	const { disk } = home;
	await finishRepair(disk, path);
	const lines: Buffer[] = [];
	const { lost, torn } = await readIntact(disk, path, openBlobs(disk, path), (line) => lines.push(line));
	if (lost === 0 && !torn) return 0;
	const draft = `${intactPath(path)}.new`;
	await disk.remove(draft).catch(() => undefined);
	await disk.create(draft, Buffer.concat(lines));
	await disk.rename(draft, intactPath(path));
	await disk.syncFolder(home.threads);
	await finishRepair(disk, path);
	return lost;
}

async function findProblem(disk: Disk, path: string): Promise<string | undefined> {
	try {
		const blobs = openBlobs(disk, path);
		const loaded = await loadThread(disk, path, blobs);
		if (loaded.newer) return "created by a newer version of Vitrine";
		const { lost } = await readIntact(disk, path, blobs, () => undefined);
		if (lost > 0) return `${lost} unreadable ${lost === 1 ? "record" : "records"}`;
		if (loaded.end.bytes !== loaded.end.wholeBytes) return "its last record is incomplete";
		return loaded.state === undefined ? "its start is damaged" : undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/** Passes on the intact lines of a thread in order. Returns how many are damaged or lack a referenced value. */
async function readIntact(
	disk: Disk,
	path: string,
	blobs: Blobs,
	keep: (line: Buffer) => void,
): Promise<{ readonly lost: number; readonly torn: boolean }> {
	let lost = 0;
	const look = async (line: ScannedLine): Promise<void> => {
		const intact = await withoutLost(line, blobs);
		if (intact !== line) lost += 1;
		if (intact !== undefined) keep(intact === line ? copyLine(line) : (intact as Buffer));
	};
	const end = await readSegments(disk, path, (line) => {
		if (line.content === "damaged" || line.bytes.includes('"refs":[')) return look(line);
		keep(copyLine(line));
		return undefined;
	});
	return { lost, torn: end.bytes !== end.wholeBytes };
}

function copyLine({ bytes }: ScannedLine): Buffer {
	return Buffer.concat([bytes, LINE_FEED]);
}

const LINE_FEED = Buffer.from("\n");

/** The line itself if it is intact; another one without what it lacks; undefined if nothing of it is left. */
async function withoutLost(line: ScannedLine, blobs: Blobs): Promise<ScannedLine | Buffer | undefined> {
	if (line.content === "damaged") return undefined;
	if (line.content === "odd") return line;
	const parsed = parseRecord(readJson(line));
	if (parsed.state !== "good" || parsed.record.refs === undefined) return line;
	const readable = await Promise.all(
		parsed.record.refs.map(async ({ sha256 }) => (await blobs.get(sha256)) !== undefined),
	);
	if (!readable.includes(false)) return line;
	const lacking: ThreadRecord = { ...parsed.record, refs: parsed.record.refs.filter((_, index) => !readable[index]) };
	if (lacksSubtree(lacking)) return undefined;
	const refs = parsed.record.refs.filter((_, index) => readable[index]);
	const { refs: _, ...bare } = parsed.record;
	return Buffer.from(encodeRecord(refs.length === 0 ? bare : { ...bare, refs }));
}
