import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { AppendFile, Disk } from "../home/disk.ts";
import { type LockThread, lockPath, ownerPath, type ThreadLock } from "../home/lock.ts";
import { removePin, type Seals } from "../home/sealing-key.ts";
import { needsSeal } from "../records/conversation.ts";
import { externalize, type PartedRecord } from "../records/externalize.ts";
import { RECORD_VERSION, type RecordBody, type ThreadRecord } from "../records/record.ts";
import { type SealKey, sealOf } from "../records/record-seal.ts";
import { type Blobs, openBlobs, removeBlobs } from "./blobs.ts";
import type { EventPlace } from "./event-log.ts";
import { nextSegment, type SegmentEnd, segmentPaths } from "./segments.ts";
import { removeSnapshots } from "./snapshots.ts";

/** "synced": on the disk when the promise resolves. "unsynced": a crash of the machine may lose it. */
export type Durability = "synced" | "unsynced";

/** The only writer of a thread's files. One call at a time: the caller waits for each before the next. */
export interface ThreadLog {
	/** Resolves with what was written. Rejects with nothing of it on disk, or with the log given up. */
	readonly append: (bodies: readonly RecordBody[], durability: Durability) => Promise<Written>;
	/** Lets go of the thread, after `last`, which still has it to itself. */
	readonly close: (last?: () => Promise<void>) => Promise<void>;
}

export interface Written {
	readonly records: readonly ThreadRecord[];
	/** Where the events among them stand. */
	readonly events: readonly EventPlace[];
}

export interface ThreadLogOptions {
	readonly disk: Disk;
	readonly lock: LockThread;
	/** The thread's first file. */
	readonly path: string;
	readonly blobs?: Blobs;
	/** The file to append to, when it is a later segment. */
	readonly segment?: string;
	/** Number of the last record that stands in the files. */
	readonly last: number;
	readonly now: () => number;
	/** The lock of a thread that exists. A new thread's is taken with its first record. */
	readonly held?: ThreadLock | undefined;
	/** What seals those records that count only as this host's own; without it none does. */
	readonly sealing?: Sealing | undefined;
	/** Told when the disk failed to sync and the log went on in a new file. */
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
	/** Lines since the last sync that worked: what has to be written again when one fails. */
	let unsynced: Buffer[] = [];
	/** Why nothing more can be written here; only opening the thread anew helps. */
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
			// Half a line would spoil the record after it: back to the last whole one, or nothing more at all.
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
			// After a failed sync the kernel may have dropped the bytes and call the next one a success. What was
			// not known to be safe is written again elsewhere.
			await goOnInNewSegment();
		}
		unsynced = [];
	};
	const goOnInNewSegment = async (): Promise<void> => {
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
			// It counts when the thread is opened anew; until then it is in doubt which choice does.
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
				const { parted, newest } = sealRecords(records, key, options.sealing?.threadId, newestSeal);
				// What a record names is on the disk before the record is.
				for (const apart of parted.flatMap((one) => one.apart)) await blobs.put(apart);
				const lines = parted.map(({ line }) => line);
				const bytes = Buffer.concat(lines);
				newestSeal = newest;
				// The first one comes before its record: a thread without a pin is never one that has lost it.
				if (newest !== before && before === "") await pinNewest();
				await write(bytes);
				unsynced.push(bytes);
				written += records.length;
				if (durability === "synced" || newest !== before) await sync();
				if (newest !== before && before !== "") await pinNewest();
				// After the sync, which may have moved these lines to the end of a new segment.
				return { records, events: placesOf(records, lines, segment, size - bytes.length) };
			} catch (error) {
				throw storageFailure(error as NodeJS.ErrnoException);
			}
		},
		async close(last) {
			await file?.close();
			file = undefined;
			broken ??= new Error("the thread was closed");
			try {
				await last?.();
			} finally {
				lock?.release();
			}
		},
	};
}

/** The lines of records, sealed where they need it; each seal of rights names the one before. */
export function sealRecords(
	records: readonly ThreadRecord[],
	key: SealKey | undefined,
	threadId: ThreadId | undefined,
	after: string,
): { readonly parted: readonly PartedRecord[]; readonly newest: string } {
	let newest = after;
	const parted = records.map((record) => {
		if (key === undefined || threadId === undefined || !needsSeal(record.body)) return externalize(record);
		const isRights = record.body.kind === "thread" || record.body.kind === "settings";
		return externalize(isRights ? { ...record, after: newest } : record, (json) => {
			const sealed = key.seal(threadId, json);
			if (isRights) newest = sealOf(sealed) ?? newest;
			return sealed;
		});
	});
	return { parted, newest };
}

function placesOf(
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

/** Moves a torn last line, left by a crash, to a side file, so that the next record starts on a clean line. */
export async function setTornTailAside(disk: Disk, { path, bytes, wholeBytes }: SegmentEnd): Promise<void> {
	if (bytes === wholeBytes) return;
	const tail = await disk.readRange(path, wholeBytes, bytes - wholeBytes);
	const name = createHash("sha256").update(tail).digest("hex").slice(0, 12);
	const aside = `${path}.torn-${name}`;
	// A crash may have come between the two steps the last time; then the same bytes are aside already.
	if ((await disk.stat(aside)) === undefined) await disk.create(aside, tail);
	await disk.truncate(path, wholeBytes);
}

/** Removes a thread's files. It is there, whole, until its oldest file is gone; then what only it needed goes too. */
export async function deleteThread(disk: Disk, path: string): Promise<void> {
	for (const segment of [...(await segmentPaths(disk, path))].reverse()) await disk.remove(segment);
	await removeBlobs(disk, path);
	await removeSnapshots(disk, path);
	await removePin(disk, path);
	for (const side of [`${path}.incoming`, lockPath(path), ownerPath(path)])
		await disk.remove(side).catch(() => undefined);
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

function storageFailure(error: NodeJS.ErrnoException): HostError {
	// The name of a failed system call says enough; other names, such as those of Node's own errors, say nothing.
	const { code = "", message: words } = error;
	const reason = /^E[A-Z0-9]+$/.test(code) ? code : words;
	const said = code === "ENOSPC" ? say("not-saved-disk-full") : say("not-saved", { reason });
	return new HostError("storage-unavailable", said, { cause: error });
}
