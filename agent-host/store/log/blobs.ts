import { dirname, join } from "node:path";
import type { Disk } from "../home/disk.ts";
import { type Apart, hashOf } from "../records/externalize.ts";

/** Values that are kept apart from a thread's records, in files named by what they hold. */
export interface Blobs {
	/** On the disk, name and all, when this resolves. */
	readonly put: (apart: Apart) => Promise<void>;
	/** The JSON that was put, byte for byte; undefined when it is missing or no longer what it was. */
	readonly get: (sha256: string) => Promise<string | undefined>;
}

const NAME = /^[0-9a-f]{64}$/;

/** The blobs of the thread whose file is `path`; fixed texts of the program are shared by all threads of a home. */
export function openBlobs(disk: Disk, path: string): Blobs {
	const folders = { thread: blobFolder(path), home: join(dirname(dirname(path)), "texts") };
	/** Known to be whole and durable. */
	const known = new Set<string>();
	const get = async (sha256: string): Promise<string | undefined> =>
		(await readBlob(disk, folders.thread, sha256)) ?? (await readBlob(disk, folders.home, sha256));
	return {
		get,
		async put({ sha256, json, shelf }) {
			if (known.has(sha256)) return;
			const folder = folders[shelf];
			await makeFolder(disk, folder);
			if ((await readBlob(disk, folder, sha256)) === undefined) await writeBlob(disk, folder, sha256, json);
			// Also for a file that was there: whoever made it may have died before its name was durable.
			await disk.syncFolder(folder);
			known.add(sha256);
		},
	};
}

export function blobFolder(path: string): string {
	return `${path}.blobs`;
}

/** Removes a thread's own blobs, and the folder last. */
export async function removeBlobs(disk: Disk, path: string): Promise<void> {
	const folder = blobFolder(path);
	const names = await disk.list(folder).catch(() => undefined);
	if (names === undefined) return;
	for (const name of names) await disk.remove(join(folder, name));
	await disk.removeFolder(folder);
}

async function readBlob(disk: Disk, folder: string, sha256: string): Promise<string | undefined> {
	// The name may come from a file that somebody else wrote.
	if (!NAME.test(sha256)) return undefined;
	const json = await disk.read(join(folder, sha256)).then(
		(bytes) => bytes.toString("utf8"),
		() => undefined,
	);
	return json !== undefined && hashOf(json) === sha256 ? json : undefined;
}

/** So that threads that put the same text at the same time do not meet. */
let attempts = 0;

// Whole under another name first: a file with a blob's own name is never half of one.
async function writeBlob(disk: Disk, folder: string, sha256: string, json: string): Promise<void> {
	attempts += 1;
	const fresh = join(folder, `${sha256}.${process.pid}-${attempts}.new`);
	await disk.remove(fresh).catch(() => undefined);
	try {
		await disk.create(fresh, Buffer.from(json));
		await disk.rename(fresh, join(folder, sha256));
	} catch (error) {
		// On a full disk the half that was written takes the room that is missing.
		await disk.remove(fresh).catch(() => undefined);
		throw error;
	}
}

async function makeFolder(disk: Disk, folder: string): Promise<void> {
	try {
		await disk.makeFolder(folder);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		return;
	}
	await disk.syncFolder(dirname(folder));
}
