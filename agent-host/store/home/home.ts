import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ThreadId } from "../../protocol/ids.ts";
import { type Said, say } from "../../protocol/say.ts";
import type { Disk } from "./disk.ts";
import { groupSegments } from "./group-segments.ts";
import type { LockThread } from "./lock.ts";
import { NO_HOME } from "./no-home.ts";
import { openSeals, type Seals } from "./sealing-key.ts";

const EXTENSION = ".jsonl";

/** Where threads are stored. */
export interface Home {
	readonly disk: Disk;
	readonly lock: LockThread;
	readonly folder: string;
	readonly threads: string;
	readonly seals: Seals;
	/** Why nothing can be saved there, if so. */
	readonly problem?: Said;
}

export interface ThreadFile {
	readonly threadId: ThreadId;
	readonly path: string;
	/** Its segments, oldest first. */
	readonly segments: readonly string[];
	readonly size: number;
	readonly modified: number;
}

/** Creates the folders and checks that they are writable, so that a turn is not refused halfway. */
export async function openHome(disk: Disk, lock: LockThread, path: string): Promise<Home> {
	const folder = resolve(path);
	const threads = join(folder, "threads");
	const seals = openSeals(disk, lock, folder);
	try {
		await makeFolders(disk, threads);
		const probe = join(threads, `.probe-${process.pid}`);
		await disk.remove(probe).catch(() => undefined);
		await disk.create(probe, Buffer.alloc(0));
		await disk.remove(probe);
		return { disk, lock, folder, threads, seals };
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
		const problem = folder.startsWith(NO_HOME) ? say("no-home") : say("home-not-writable", { folder, code });
		return { disk, lock, folder, threads, seals, problem };
	}
}

/** Where threads are stored if the client names no folder. */
export function defaultHome(): string {
	return resolve(process.env.VITRINE_HOME || join(homedir(), ".vitrine"));
}

// Not the recursive mkdir: on a file system that refuses every new name with ENOENT, such as /proc, it never ends.
export async function makeFolders(disk: Disk, path: string): Promise<void> {
	const error = await tryMakeFolder(disk, path);
	if (error === undefined) return;
	if (error.code !== "ENOENT" || dirname(path) === path) throw error;
	await makeFolders(disk, dirname(path));
	const second = await tryMakeFolder(disk, path);
	if (second !== undefined) throw second;
}

function tryMakeFolder(disk: Disk, path: string): Promise<NodeJS.ErrnoException | undefined> {
	return disk.makeFolder(path).then(
		() => undefined,
		(error: NodeJS.ErrnoException) => (error.code === "EEXIST" ? undefined : error),
	);
}

export function threadPath(home: Pick<Home, "threads">, threadId: ThreadId): string {
	return join(home.threads, threadId + EXTENSION);
}

/** How long files are looked at in one go; then other work gets its turn. On a slow drive that is after a few files. */
const SLICE_MS = 4;
/** Of a file that the system tells nothing about. */
const UNKNOWN = { size: 0, modified: 0 };

export async function findThreadFiles(home: Home): Promise<readonly ThreadFile[]> {
	const names = await home.disk.list(home.threads).catch(() => []);
	const ofThreads = names.filter((name) => name.endsWith(EXTENSION));
	const later = groupSegments(
		names.filter((name) => !name.endsWith(EXTENSION)),
		home.threads,
	);
	const files: ThreadFile[] = [];
	const look = async (name: string): Promise<void> => {
		const id = ThreadId.safeParse(name.slice(0, -EXTENSION.length));
		if (!id.success) return;
		const path = threadPath(home, id.data);
		const found = await home.disk.stat(path).catch(() => UNKNOWN);
		// Otherwise another window deleted it since it was listed.
		if (found === undefined) return;
		const { size, modified } = found;
		files.push({ threadId: id.data, path, segments: [path, ...(later.get(path) ?? [])], size, modified });
	};
	let since = performance.now();
	for (const name of ofThreads) {
		await look(name);
		if (performance.now() - since < SLICE_MS) continue;
		await new Promise(setImmediate);
		since = performance.now();
	}
	return files;
}
