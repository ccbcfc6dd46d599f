import { mkdir, readdir, stat, unlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ThreadId } from "../protocol/ids.ts";

const EXTENSION = ".jsonl";

/** Where threads live. */
export interface Home {
	readonly folder: string;
	readonly threads: string;
	/** Why nothing can be saved there, in a sentence, when that is so. */
	readonly problem?: string;
}

export interface ThreadFile {
	readonly threadId: ThreadId;
	readonly path: string;
	readonly size: number;
	readonly modified: number;
}

/** Makes the folders and proves that they can be written to, so that a turn is not refused halfway. */
export async function openHome(wanted: string | undefined): Promise<Home> {
	const folder = wanted ?? process.env.VITRINE_HOME ?? join(homedir(), ".vitrine");
	const threads = join(folder, "threads");
	try {
		await makeFolders(threads);
		const probe = join(threads, `.probe-${process.pid}`);
		await writeFile(probe, "");
		await unlink(probe);
		return { folder, threads };
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
		const problem = `Threads cannot be saved in ${folder} (${code}). Make that folder writable, then restart the agent host.`;
		return { folder, threads, problem };
	}
}

// Not the recursive mkdir: on a file system that refuses every new name with ENOENT, such as /proc, it never ends.
async function makeFolders(path: string): Promise<void> {
	const error = await tryMakeFolder(path);
	if (error?.code !== "ENOENT" || dirname(path) === path) {
		if (error !== undefined) throw error;
		return;
	}
	await makeFolders(dirname(path));
	const second = await tryMakeFolder(path);
	if (second !== undefined) throw second;
}

async function tryMakeFolder(path: string): Promise<NodeJS.ErrnoException | undefined> {
	return mkdir(path, { mode: 0o700 }).then(
		() => undefined,
		(error: NodeJS.ErrnoException) => (error.code === "EEXIST" ? undefined : error),
	);
}

export function threadPath(home: Home, threadId: ThreadId): string {
	return join(home.threads, threadId + EXTENSION);
}

export async function findThreadFiles(home: Home): Promise<readonly ThreadFile[]> {
	const names = await readdir(home.threads).catch(() => []);
	const ids = names.flatMap((name) => {
		const id = name.endsWith(EXTENSION) ? ThreadId.safeParse(name.slice(0, -EXTENSION.length)) : undefined;
		return id?.success ? [id.data] : [];
	});
	const files = ids.map(async (threadId) => {
		const path = threadPath(home, threadId);
		const { size, mtimeMs } = await stat(path);
		return { threadId, path, size, modified: mtimeMs };
	});
	return Promise.all(files);
}
