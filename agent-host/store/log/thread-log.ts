import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { AppendFile, Disk } from "../home/disk.ts";
import { type LockThread, lockPath, ownerPath, type ThreadLock } from "../home/lock.ts";
import { removePin, type Seals } from "../home/sealing-key.ts";
import { needsSeal } from "../records/conversation.ts";
import { type ExternalizedRecord, externalize } from "../records/externalize.ts";
import { RECORD_VERSION, type RecordBody, type ThreadRecord } from "../records/record.ts";
import { readSeal, type SealKey } from "../records/record-seal.ts";
import { type Blobs, openBlobs, removeBlobs } from "./blobs.ts";
import type { EventPlace } from "./event-log.ts";
import { nextSegment, type SegmentEnd, segmentPaths } from "./segments.ts";
import { removeSnapshots } from "./snapshots.ts";

/** "synced": on the disk when the promise resolves. "unsynced": a crash of the machine may lose it. */
export type Durability = "synced" | "unsynced";

/** The only writer of a thread's files. One call at a time: the caller awaits each before the next. */
export interface ThreadLog {
	/** Resolves with what was written. Rejects with nothing of it on disk, or with the log unusable. */
	readonly append: (bodies: readonly RecordBody[], durability: Durability) => Promise<WrittenRecords>;
	/** Releases the thread after `last`, which still has exclusive access. */
	readonly close: (last?: () => Promise<void>) => Promise<void>;
}

export interface WrittenRecords {
	readonly records: readonly ThreadRecord[];
	/** The places of the events among them. */
	readonly events: readonly EventPlace[];
	readonly bytes: number;
}

export interface ThreadLogOptions {
	readonly disk: Disk;
	readonly lock: LockThread;
	/** The thread's first file. */
	readonly path: string;
	readonly blobs?: Blobs;
	/** The file to append to, if it is a later segment. */
	readonly segment?: string;
	/** Number of the last record in the files. */
	readonly last: number;
	readonly now: () => number;
	/** The lock of an existing thread. A new thread's lock is taken with its first record. */
	readonly held?: ThreadLock | undefined;
	/** Seals the records that count only if this host wrote them; without it none does. */
	readonly sealing?: Sealing | undefined;
	/** Called when the disk failed to sync and the log continued in a new file. */
	readonly onNewSegment?: (path: string) => void;
}

export interface Sealing {
	readonly seals: Seals;
	readonly threadId: ThreadId;
	/** The newest seal of the thread's rights. */
	readonly after: string;
}

export function createThreadLog(options: ThreadLogOptions): ThreadLog {
	const { disk, path, now, blobs = openBlobs(disk, path) } = options;
	let segment = options.segment ?? path;
	let file: AppendFile | undefined;
	let size = 0;
	let lock = options.held;
	let written = options.last;
	/** Lines since the last successful sync: they are written again if one fails. */
	let unsynced: Buffer[] = [];
	/** Why nothing more can be written; the thread must be reopened. */
	let broken: Error | undefined;
	let newestSeal = options.sealing?.after ?? "";

	const openSegment = async (): Promise<AppendFile> => {
		const opened = await disk.openAppend(segment);
		size = await opened.size();
		// The file's name is durable only when its folder is.
		if (size === 0) await disk.syncFolder(dirname(segment));
		return opened;
	};
	const write = async (bytes: Buffer): Promise<AppendFile> => {
		const target = file ?? (await openSegment());
		file = target;
		try {
			await writeWhole(target, bytes);
			size += bytes.length;
			return target;
		} catch (error) {
			// Half a line would spoil the next record: cut back to the last complete one, or stop writing.
			await target.truncate(size).catch((failure: Error) => {
				broken = failure;
			});
			throw error;
		}
	};
	const sync = async (): Promise<void> => {
		try {
			await file?.sync();
		} catch {
			// After a failed sync the kernel may have dropped the bytes and report success next time. Everything that was not
			// known to be safe is written again elsewhere.
			await continueInNewSegment();
		}
		unsynced = [];
	};
	const continueInNewSegment = async (): Promise<void> => {
		await file?.close().catch(() => undefined);
		file = undefined;
		segment = nextSegment(path, segment);
		try {
			const fresh = await write(Buffer.concat(unsynced));
			await fresh.sync();
			await disk.syncFolder(dirname(segment));
		} catch (error) {
			broken = error instanceof Error ? error : new Error(String(error));
			throw error;
		}
		options.onNewSegment?.(segment);
	};
	const pinNewest = async (): Promise<void> => {
		try {
			await options.sealing?.seals.pin(options.sealing.threadId, newestSeal);
		} catch (error) {
			// It takes effect when the thread is reopened; until then it is uncertain which choice applies.
			broken = error instanceof Error ? error : new Error(String(error));
			throw error;
		}
	};
	return {
		async append(bodies, durability) {
			if (broken !== undefined) throw storageFailure(broken);
			try {
				lock ??= await lockNew(options);
				const at = now();
				const records = bodies.map((body, index) => ({ v: RECORD_VERSION, n: written + index + 1, at, body }) as const);
				const before = newestSeal;
				const key = bodies.some(needsSeal) ? await options.sealing?.seals.key("make") : undefined;
				const { externalized, newest } = sealRecords(records, key, options.sealing?.threadId, newestSeal);
				// The values that a record refers to are on disk before the record.
				for (const external of externalized.flatMap((one) => one.external)) await blobs.put(external);
				const lines = externalized.map(({ line }) => line);
				const bytes = Buffer.concat(lines);
				newestSeal = newest;
				// The first pin comes before its record: a thread without a pin has never had one.
				if (newest !== before && before === "") await pinNewest();
				await write(bytes);
				unsynced.push(bytes);
				written += records.length;
				if (durability === "synced" || newest !== before) await sync();
				if (newest !== before && before !== "") await pinNewest();
				// After the sync, which may have moved these lines to the end of a new segment.
				const events = locateEvents(records, lines, segment, size - bytes.length);
				return { records, events, bytes: bytes.length };
			} catch (error) {
				throw storageFailure(error as NodeJS.ErrnoException);
			}
		},
		async close(last) {
			await file?.close();
			file = undefined;
			broken ??= new HostError("input-refused", say("not-saved-closed"));
			try {
				await last?.();
			} finally {
				lock?.release();
			}
		},
	};
}

/** The lines of records, sealed if they need it; each seal of rights refers to the previous one. */
export function sealRecords(
	records: readonly ThreadRecord[],
	key: SealKey | undefined,
	threadId: ThreadId | undefined,
	after: string,
): { readonly externalized: readonly ExternalizedRecord[]; readonly newest: string } {
	let newest = after;
	const externalized = records.map((record) => {
		if (key === undefined || threadId === undefined || !needsSeal(record.body)) return externalize(record);
		const isRights = record.body.kind === "thread" || record.body.kind === "settings";
		return externalize(isRights ? { ...record, after: newest } : record, (json) => {
			const sealed = key.seal(threadId, json);
			if (isRights) newest = readSeal(sealed) ?? newest;
			return sealed;
		});
	});
	return { externalized, newest };
}

function locateEvents(
	records: readonly ThreadRecord[],
	lines: readonly Buffer[],
	path: string,
	from: number,
): readonly EventPlace[] {
	let start = from;
	return records.flatMap(({ body }, index) => {
		const length = (lines[index]?.length ?? 1) - 1;
		const place = { path, start, length };
		start += length + 1;
		return body.kind === "event" ? [{ seq: body.seq, ...place }] : [];
	});
}

/**
 * Moves a torn last line, left by a crash, to a side file, so that the next record starts on a clean line. Can itself be
 * interrupted anywhere: the line is cut off only once the side file is complete and durable.
 */
export async function setTornTailAside(disk: Disk, { path, bytes, wholeBytes }: SegmentEnd): Promise<void> {
	if (bytes === wholeBytes) return;
	const tail = await disk.readRange(path, wholeBytes, bytes - wholeBytes);
	const aside = `${path}.torn-${createHash("sha256").update(tail).digest("hex")}`;
	// The last attempt may have ended before the line was cut off.
	const isThere = await disk.read(aside).then(
		(kept) => kept.equals(tail),
		() => false,
	);
	if (!isThere) {
		await disk.remove(`${aside}.new`).catch(() => undefined);
		await disk.create(`${aside}.new`, tail);
		await disk.rename(`${aside}.new`, aside);
	}
	await disk.syncFolder(dirname(path));
	await disk.truncate(path, wholeBytes);
}

/** Removes a thread's files. It stays complete until its oldest file is gone; then its other data is removed too. */
export async function deleteThread(disk: Disk, path: string): Promise<void> {
	for (const segment of [...(await segmentPaths(disk, path))].reverse()) await disk.remove(segment);
	await removeBlobs(disk, path);
	await removeSnapshots(disk, path);
	await removePin(disk, path);
	const kept = (await disk.list(dirname(path)).catch(() => [])).filter((name) => isKeptBeside(name, basename(path)));
	for (const name of kept) await disk.remove(join(dirname(path), name)).catch(() => undefined);
	for (const side of [`${path}.incoming`, lockPath(path), ownerPath(path)])
		await disk.remove(side).catch(() => undefined);
}

/** What was kept of a thread, and what its recovery and repair put aside; it goes with the thread. */
function isKeptBeside(name: string, thread: string): boolean {
	return (
		name.startsWith(`${thread}.`) && /\.(?:torn-[0-9a-f]+|before-repair(?:-\d+)?|intact|state)(?:\.new)?$/.test(name)
	);
}

async function lockNew({ lock, path }: ThreadLogOptions): Promise<ThreadLock> {
	const taken = await lock(path);
	if ("release" in taken) return taken;
	throw new Error(`A new thread is held by process ${taken.owner}.`);
}

async function writeWhole(file: AppendFile, bytes: Buffer): Promise<void> {
	for (let done = 0; done < bytes.length; ) {
		const taken = await file.write(bytes.subarray(done));
		if (taken === 0) throw Object.assign(new Error("nothing was written"), { code: "ENOSPC" });
		done += taken;
	}
}

/** Why nothing can be written, as a client can act on it. */
export function storageFailure(error: NodeJS.ErrnoException): HostError {
	if (error instanceof HostError) return error;
	// The code of a failed system call is meaningful; other codes, such as Node's own, are not.
	const { code = "", message: words } = error;
	const reason = /^E[A-Z0-9]+$/.test(code) ? code : words;
	const said = code === "ENOSPC" ? say("not-saved-disk-full") : say("not-saved", { reason });
	return new HostError("storage-unavailable", said, { cause: error });
}
