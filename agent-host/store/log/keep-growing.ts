import type { Disk } from "../home/disk.ts";

/** Keeps what a thread came to while it grows, so that the next host begins from there. */
export interface Keeper {
	/** Notes bytes that were added. `isDone`: whether no turn is open after them. */
	readonly grown: (bytes: number, isDone: boolean) => void;
	/** Keeps nothing more; resolves when nothing is being written. The lock of the thread is held until then. */
	readonly close: () => Promise<void>;
}

export interface KeeperOptions {
	readonly disk: Disk;
	/** Reads what was added, and keeps what it comes to; returns how many bytes are not kept after that. */
	readonly keep: (disk: Disk) => Promise<number>;
	/** Bytes of the log when the thread is opened, and those of them that are not kept. */
	readonly bytes: number;
	readonly unkept: number;
	/** Of a log of that length; with fewer bytes, reading them is about as fast. */
	readonly leastOf: (bytes: number) => number;
	/** What is being written when the thread is opened. */
	readonly writing: Promise<void>;
}

export function createKeeper({ disk, keep, bytes: before, unkept, leastOf, writing }: KeeperOptions): Keeper {
	const closing = new AbortController();
	let length = before;
	let added = unkept;
	const isLittle = () => added < leastOf(length);
	// A damaged thread is never kept, and so not read again and again.
	let isPossible = isLittle();
	let work = writing;
	const keepNow = async (): Promise<void> => {
		closing.signal.throwIfAborted();
		added = await keep(stopReading(disk, closing.signal));
		isPossible = isLittle();
	};
	return {
		grown: (bytes, isDone) => {
			length += bytes;
			added += bytes;
			if (!isDone || !isPossible || isLittle()) return;
			isPossible = false;
			// It only saves work: what cannot be kept is read when the thread is opened again.
			work = work.then(keepNow).catch(() => undefined);
		},
		close: () => {
			closing.abort();
			return work;
		},
	};
}

/** A disk from which nothing more is read piece by piece once the signal says so. */
function stopReading(disk: Disk, signal: AbortSignal): Disk {
	return {
		...disk,
		openRead: async (path) => {
			const file = await disk.openRead(path);
			const read: typeof file.read = async (into, position) => {
				signal.throwIfAborted();
				return file.read(into, position);
			};
			return { ...file, read };
		},
	};
}
