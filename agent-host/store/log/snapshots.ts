import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { Disk } from "../home/disk.ts";

/** Complete contents of files, stored beside a thread under their SHA-256, so that its changes can be undone. */
export interface Snapshots {
	/**
	 * Returns the name of the content, its SHA-256, which the caller may know. Durable when this resolves; "full" if the
	 * thread's limit is reached.
	 */
	readonly put: (
		bytes: Uint8Array,
		sha256?: string,
	) => Promise<{ readonly sha256: string; readonly state: "kept" | "full" }>;
	/** Undefined if it was not stored, or has changed. */
	readonly get: (sha256: string) => Promise<Buffer | undefined>;
}

/** Limit for all contents of one thread. Later changes are still made, but cannot be undone. */
const MAX_SNAPSHOT_BYTES = 256 * 1_048_576;

const NAME = /^[0-9a-f]{64}$/;

export function openSnapshots(disk: Disk, path: string): Snapshots {
	const folder = snapshotFolder(path);
	let known: Promise<Map<string, number>> | undefined;
	const writing = new Map<string, Promise<void>>();
	const sync = shareCalls(() => disk.syncFolder(folder));
	const keep = async (sha256: string, bytes: Uint8Array): Promise<"kept" | "full"> => {
		known ??= listSizes(disk, folder);
		const sizes = await known;
		if (!sizes.has(sha256)) {
			const taken = [...sizes.values()].reduce((sum, size) => sum + size, 0);
			if (taken + bytes.length > MAX_SNAPSHOT_BYTES) return "full";
			sizes.set(sha256, bytes.length);
			const work = writeWhole(disk, folder, sha256, bytes).then(sync);
			writing.set(sha256, work);
			work.catch(() => sizes.delete(sha256)).finally(() => writing.delete(sha256));
		}
		await writing.get(sha256);
		return "kept";
	};
	return {
		put: async (bytes, sha256 = hashBytes(bytes)) => ({ sha256, state: await keep(sha256, bytes) }),
		get: async (sha256) => {
			if (!NAME.test(sha256)) return undefined;
			const bytes = await disk.read(join(folder, sha256)).catch(() => undefined);
			return bytes !== undefined && hashBytes(bytes) === sha256 ? bytes : undefined;
		},
	};
}

export async function removeSnapshots(disk: Disk, path: string): Promise<void> {
	const folder = snapshotFolder(path);
	const names = await disk.list(folder).catch(() => undefined);
	if (names === undefined) return;
	for (const name of names) await disk.remove(join(folder, name));
	await disk.removeFolder(folder);
}

function snapshotFolder(path: string): string {
	return `${path}.files`;
}

function hashBytes(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

/** Calls that come while one is under way share the next one. */
function shareCalls(work: () => Promise<void>): () => Promise<void> {
	let last: Promise<void> = Promise.resolve();
	let next: Promise<void> | undefined;
	return () => {
		next ??= last
			.catch(() => undefined)
			.then(() => {
				next = undefined;
				last = work();
				return last;
			});
		return next;
	};
}

async function listSizes(disk: Disk, folder: string): Promise<Map<string, number>> {
	await disk.makeFolder(folder).then(
		() => disk.syncFolder(dirname(folder)),
		(error: NodeJS.ErrnoException) => {
			if (error.code !== "EEXIST") throw error;
		},
	);
	const sizes = new Map<string, number>();
	for (const name of await disk.list(folder)) {
		const found = NAME.test(name) ? await disk.stat(join(folder, name)) : undefined;
		if (found !== undefined) sizes.set(name, found.size);
	}
	return sizes;
}

// Written completely under another name first: a file with a content's name is never incomplete.
async function writeWhole(disk: Disk, folder: string, sha256: string, bytes: Uint8Array): Promise<void> {
	const fresh = join(folder, `${sha256}.${process.pid}.new`);
	await disk.remove(fresh).catch(() => undefined);
	try {
		await disk.create(fresh, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
		await disk.rename(fresh, join(folder, sha256));
	} catch (error) {
		await disk.remove(fresh).catch(() => undefined);
		throw error;
	}
}
