import { dirname, join } from "node:path";
import type { Disk } from "../home/disk.ts";
import { type ExternalValue, hashJson } from "../records/externalize.ts";

/** Values externalized from a thread's records, in files named by their content. */
export interface Blobs {
	/** When this resolves, the file and its name are on the disk. */
	readonly put: (external: ExternalValue) => Promise<void>;
	/** The stored JSON, byte for byte; undefined if it is missing or changed. */
	readonly get: (sha256: string) => Promise<string | undefined>;
}

const NAME = /^[0-9a-f]{64}$/;

/** The blobs of the thread whose file is `path`; fixed texts of the program are shared by all threads of a home. */
export function openBlobs(disk: Disk, path: string): Blobs {
	const folders = { thread: blobFolder(path), home: join(dirname(dirname(path)), "texts") };
	/** Known to be complete and durable. */
	const known = new Set<string>();
	const get = async (sha256: string): Promise<string | undefined> =>
		(await readBlob(disk, folders.thread, sha256)) ?? (await readBlob(disk, folders.home, sha256));
	return {
		get,
		async put({ sha256, json, scope }) {
			if (known.has(sha256)) return;
			const folder = folders[scope];
			await makeFolder(disk, folder);
			if ((await readBlob(disk, folder, sha256)) === undefined) await writeBlob(disk, folder, sha256, json());
			// Also for an existing file: its writer may have died before its name was durable.
			await disk.syncFolder(folder);
			known.add(sha256);
		},
	};
}

export function blobFolder(path: string): string {
	return `${path}.blobs`;
}

/** Removes a thread's blobs, and finally the folder. */
export async function removeBlobs(disk: Disk, path: string): Promise<void> {
	const folder = blobFolder(path);
	const names = await disk.list(folder).catch(() => undefined);
	if (names === undefined) return;
	for (const name of names) await disk.remove(join(folder, name));
	await disk.removeFolder(folder);
}

async function readBlob(disk: Disk, folder: string, sha256: string): Promise<string | undefined> {
	// The name may come from a file that someone else wrote.
	if (!NAME.test(sha256)) return undefined;
	const json = await disk.read(join(folder, sha256)).then(
		(bytes) => bytes.toString("utf8"),
		() => undefined,
	);
	return json !== undefined && hashJson(json) === sha256 ? json : undefined;
}

/** Keeps threads that store the same text at the same time apart. */
let attempts = 0;

// Written completely under another name first: a file with a blob's name is never incomplete.
async function writeBlob(disk: Disk, folder: string, sha256: string, json: string): Promise<void> {
	attempts += 1;
	const fresh = join(folder, `${sha256}.${process.pid}-${attempts}.new`);
	await disk.remove(fresh).catch(() => undefined);
	try {
		await disk.create(fresh, Buffer.from(json));
		await disk.rename(fresh, join(folder, sha256));
	} catch (error) {
		// On a full disk the incomplete file takes up the space that is missing.
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
