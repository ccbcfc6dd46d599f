import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readFile, truncate, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { HostError } from "../protocol/errors.ts";
import { lockPath, lockThread, ownerPath, type ThreadLock } from "./lock.ts";
import { decodeRecord, encodeRecord, RECORD_VERSION, type RecordBody, type ThreadRecord } from "./record.ts";

/** "synced": on the disk when the promise resolves. "unsynced": a crash of the machine may lose it. */
export type Durability = "synced" | "unsynced";

/** The only writer of a thread's file. One call at a time: the caller waits for each before the next. */
export interface ThreadLog {
	readonly append: (bodies: readonly RecordBody[], durability: Durability) => Promise<readonly ThreadRecord[]>;
	readonly close: () => Promise<void>;
}

export interface LoadedThread {
	readonly records: readonly ThreadRecord[];
	/** Records whose bytes are not what was written. */
	readonly damaged: number;
	/** Written by a newer release: the thread can be read, not continued. */
	readonly newer: boolean;
	/** Bytes up to the end of the last line that was written whole. */
	readonly goodBytes: number;
	readonly bytes: number;
}

export async function loadThread(path: string): Promise<LoadedThread> {
	const content = await readFile(path);
	const goodBytes = content.lastIndexOf(0x0a) + 1;
	const lines = content.subarray(0, goodBytes).toString("utf8").split("\n").slice(0, -1);
	const decoded = lines.map(decodeRecord);
	return {
		records: decoded.flatMap((line) => (line.state === "good" ? [line.record] : [])),
		damaged: decoded.filter((line) => line.state === "damaged").length,
		newer: decoded.some((line) => line.state === "newer"),
		goodBytes,
		bytes: content.length,
	};
}

/**
 * Opens the log for appending after record `last`. A new thread's file and lock appear with its first record; the lock of one
 * that exists is handed in, and released with the log.
 */
export function createThreadLog(path: string, last: number, now: () => number, held?: ThreadLock): ThreadLog {
	let handle: FileHandle | undefined;
	let lock = held;
	let written = last;
	return {
		async append(bodies, durability) {
			try {
				lock ??= await lockNew(path);
				handle ??= await openForAppend(path);
				const at = now();
				const records = bodies.map((body, index) => ({ v: RECORD_VERSION, n: written + index + 1, at, body }) as const);
				await appendWhole(handle, Buffer.from(records.map(encodeRecord).join("")));
				if (durability === "synced") await handle.datasync();
				written += records.length;
				return records;
			} catch (error) {
				throw storageFailure(error as NodeJS.ErrnoException);
			}
		},
		async close() {
			await handle?.close();
			handle = undefined;
			lock?.release();
		},
	};
}

/** Moves a torn last line, left by a crash, to a side file, so that the next record starts on a clean line. */
export async function setTornTailAside(path: string, loaded: LoadedThread): Promise<void> {
	if (loaded.bytes === loaded.goodBytes) return;
	const tail = (await readFile(path)).subarray(loaded.goodBytes);
	const name = createHash("sha256").update(tail).digest("hex").slice(0, 12);
	await writeFile(`${path}.torn-${name}`, tail, { mode: 0o600 });
	await truncate(path, loaded.goodBytes);
}

export async function deleteThread(path: string): Promise<void> {
	await unlink(path);
	for (const side of [lockPath(path), ownerPath(path)]) await unlink(side).catch(() => undefined);
}

async function lockNew(path: string): Promise<ThreadLock> {
	const lock = await lockThread(path);
	if ("release" in lock) return lock;
	throw new Error(`A new thread is held by process ${lock.owner}.`);
}

async function openForAppend(path: string): Promise<FileHandle> {
	const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
	const handle = await open(path, flags, 0o600);
	const folder = await open(dirname(path), constants.O_RDONLY);
	try {
		// The file's name is durable only when its folder is.
		await folder.sync();
	} finally {
		await folder.close();
	}
	return handle;
}

// A full disk gives a short write first; a half line would spoil the next record.
async function appendWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
	const { size } = await handle.stat();
	try {
		const { bytesWritten } = await handle.write(bytes);
		if (bytesWritten < bytes.length) await handle.write(bytes.subarray(bytesWritten));
	} catch (error) {
		await handle.truncate(size);
		throw error;
	}
}

function storageFailure(error: NodeJS.ErrnoException): HostError {
	const reason = error.code === "ENOSPC" ? "the disk is full" : (error.code ?? error.message);
	const message = `The thread cannot be saved: ${reason}. Make room or restore access, then try again.`;
	return new HostError("storage-unavailable", message, { cause: error });
}
