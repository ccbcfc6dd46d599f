import type { ThreadId } from "../protocol/ids.ts";
import type { Home } from "./home.ts";
import { findThreadFiles, threadPath } from "./home.ts";
import { replay } from "./replay.ts";
import { scanLines } from "./scan.ts";
import { loadThread, segmentPaths } from "./segments.ts";

export interface ThreadProblem {
	readonly threadId: ThreadId;
	readonly problem: string;
}

export interface Verification {
	readonly threads: number;
	readonly verified: number;
	readonly problems: readonly ThreadProblem[];
}

/** Reads every record of every thread and says which threads are not as they were written. Changes nothing. */
export async function verifyThreads(home: Home): Promise<Verification> {
	const files = await findThreadFiles(home);
	const problems: ThreadProblem[] = [];
	for (const { threadId, path } of files) {
		const problem = await problemOf(home, path);
		if (problem !== undefined) problems.push({ threadId, problem });
	}
	return { threads: files.length, verified: files.length - problems.length, problems };
}

/**
 * Writes the intact lines of a thread to a new file and keeps the old one beside it. The caller holds the thread's lock.
 * Returns how many lines were left out.
 */
export async function repairThread(home: Home, threadId: ThreadId): Promise<number> {
	const path = threadPath(home, threadId);
	const { disk } = home;
	const loaded = await loadThread(disk, path);
	if (loaded.damaged === 0 && loaded.bytes === loaded.wholeBytes) return 0;
	const intact = `${path}.intact`;
	await disk.remove(intact).catch(() => undefined);
	await disk.create(intact, Buffer.concat(await intactLines(home, path)));
	// The old segments get names that no reader takes for a segment; the newest goes first, the thread's own name last.
	for (const segment of [...(await segmentPaths(disk, path))].reverse()) {
		await disk.rename(segment, `${segment}.before-repair`);
	}
	await disk.rename(intact, path);
	await disk.syncFolder(home.threads);
	return loaded.damaged;
}

async function problemOf(home: Home, path: string): Promise<string | undefined> {
	try {
		const loaded = await loadThread(home.disk, path);
		if (loaded.damaged > 0) return `${loaded.damaged} unreadable ${loaded.damaged === 1 ? "record" : "records"}`;
		if (loaded.newer) return "written by a newer Vitrine";
		if (loaded.bytes !== loaded.wholeBytes) return "its last record is torn";
		return replay(loaded) === undefined ? "it has no intact beginning" : undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

async function intactLines(home: Home, path: string): Promise<readonly Buffer[]> {
	const seen = new Set<number>();
	const lines: Buffer[] = [];
	for (const segment of await segmentPaths(home.disk, path)) {
		const content = await home.disk.read(segment);
		for (const { start, length, content: peek } of scanLines(content)) {
			if (peek === "damaged" || (peek !== "odd" && seen.has(peek.n))) continue;
			if (peek !== "odd") seen.add(peek.n);
			lines.push(content.subarray(start, start + length + 1));
		}
	}
	return lines;
}
