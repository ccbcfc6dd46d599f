import { join } from "node:path";
import * as z from "zod";
import { pickOrigin } from "../../protocol/agent.ts";
import { ThreadSummary } from "../../protocol/thread/thread.ts";
import { findThreadFiles, type Home, type ThreadFile } from "../home/home.ts";
import { openBlobs } from "../log/blobs.ts";
import { openKeptState } from "../log/kept-state.ts";
import { loadThread } from "../log/load-thread.ts";
import type { ThreadState } from "../records/thread-state.ts";

const Entry = z.object({ size: z.number(), modified: z.number(), summary: ThreadSummary });
type Index = Readonly<Record<string, z.infer<typeof Entry>>>;
/** Changes with what a summary is made of. */
const INDEX_VERSION = 2;
const IndexFile = z.object({ version: z.literal(INDEX_VERSION), threads: z.record(z.string(), Entry) });

/**
 * Summaries of all threads on disk; those in `open` are taken from there. The index only saves work: an entry that no
 * longer matches its file is rebuilt.
 */
export async function listStoredThreads(
	home: Home,
	open: ReadonlyMap<string, ThreadSummary>,
	found?: readonly ThreadFile[],
): Promise<readonly ThreadSummary[]> {
	const files = found ?? (await findThreadFiles(home));
	const known = await readIndex(home);
	const fresh: Record<string, Index[string]> = {};
	const summaries = await Promise.all(
		files.map(async (file) => {
			const inMemory = open.get(file.threadId);
			if (inMemory !== undefined) return inMemory;
			const entry = known[file.threadId];
			const fits = entry !== undefined && entry.size === file.size && entry.modified === file.modified;
			if (fits) return entry.summary;
			const made = await summarizeFile(home, file);
			if (made !== undefined) fresh[file.threadId] = made;
			return made?.summary;
		}),
	);
	if (Object.keys(fresh).length > 0 && home.problem === undefined) {
		const there = new Set<string>(files.map(({ threadId }) => threadId));
		const kept = Object.entries({ ...known, ...fresh }).filter(([threadId]) => there.has(threadId));
		await writeIndex(home, Object.fromEntries(kept));
	}
	return summaries.filter((summary) => summary !== undefined);
}

/** Removes the summaries of deleted threads, which contain their words. */
export async function forgetSummaries(home: Home, deleted: readonly string[]): Promise<void> {
	const known = await readIndex(home);
	const left = Object.entries(known).filter(([threadId]) => !deleted.includes(threadId));
	if (left.length < Object.keys(known).length) await writeIndex(home, Object.fromEntries(left));
}

export function summarize(state: ThreadState): ThreadSummary {
	return {
		threadId: state.threadId,
		title: state.title,
		preview: state.preview,
		...(state.cwd === undefined ? {} : { cwd: state.cwd }),
		model: state.model,
		...(state.approval === undefined ? {} : { approval: state.approval }),
		...(state.permissionMode === undefined ? {} : { permissionMode: state.permissionMode }),
		...(state.percentLeft === undefined ? {} : { percentLeft: state.percentLeft }),
		turns: state.turns,
		updatedAt: state.updatedAt,
		archived: state.archived,
		running: false,
		...(state.agent === undefined ? {} : { agent: pickOrigin(state.agent) }),
	};
}

async function summarizeFile(home: Home, file: ThreadFile): Promise<Index[string] | undefined> {
	const { threadId } = file;
	// Whose thread it is counts only under our seal.
	const proof = { threadId, key: await home.seals.key("find").catch(() => undefined), pinned: undefined };
	const kept = openKeptState(home.disk, file.path, proof, "read");
	const blobs = openBlobs(home.disk, file.path);
	const loaded = await loadThread(home.disk, file.path, blobs, proof, file.segments, kept).catch(() => undefined);
	// One file that cannot be read must not hide the others; the doctor names it.
	if (loaded?.state === undefined) return undefined;
	const { state } = loaded;
	return { size: file.size, modified: file.modified, summary: summarize(state) };
}

/** The index as last read, while its file is the same: thousands of entries are parsed once. */
const parsed = new WeakMap<Home["disk"], Map<string, { readonly stamp: string; readonly index: Index }>>();

async function readIndex(home: Home): Promise<Index> {
	const path = indexPath(home);
	try {
		const found = await home.disk.stat(path);
		const stamp = `${found?.size} ${found?.modified}`;
		const known = parsed.get(home.disk)?.get(path);
		if (known?.stamp === stamp) return known.index;
		const index = IndexFile.parse(JSON.parse((await home.disk.read(path)).toString("utf8"))).threads;
		parsed.set(home.disk, new Map([[path, { stamp, index }]]));
		return index;
	} catch {
		// Missing, torn or from another release: it is rebuilt from the logs.
		return {};
	}
}

async function writeIndex(home: Home, index: Index): Promise<void> {
	const temporary = `${indexPath(home)}.${process.pid}`;
	try {
		await home.disk.remove(temporary).catch(() => undefined);
		await home.disk.create(temporary, Buffer.from(JSON.stringify({ version: INDEX_VERSION, threads: index })));
		await home.disk.rename(temporary, indexPath(home));
	} catch {
		// The index only saves work; a full disk must not prevent the list from showing.
	}
}

function indexPath(home: Home): string {
	return join(home.folder, "index.json");
}
