import type { BigIntStats } from "node:fs";
import { createPace } from "./pace.ts";
import { createReadInPlace } from "./read-in-place.ts";
import { isSameStamp, isSettled, type Stamp, toStamp } from "./stamp.ts";
import { createListings, type Listings, type StatFile, statFile, visitFiles } from "./visit-files.ts";

/** A command's change of one file; undefined if there was or is no file. */
export interface ChangedContent {
	readonly path: string;
	readonly before: Uint8Array | undefined;
	readonly after: Uint8Array | undefined;
	/** Permission bits of a file that was removed. */
	readonly mode?: number | undefined;
}

/** Remembers files before a command, so that its changes can be undone. */
export interface FileWatch {
	/** Examines all files, and keeps the contents of new and changed ones. */
	readonly remember: () => Promise<void>;
	/** The differences. `unkept` are files whose former content was not kept. */
	readonly compare: () => Promise<{ readonly changed: readonly ChangedContent[]; readonly unkept: readonly string[] }>;
}

/** Limit for the examined files. */
const MAX_WATCHED_FILES = 10_000;
/** Limits for the contents that are kept while a turn runs: of one file, and of all files. */
const MAX_WATCHED_FILE_BYTES = 1_048_576;
const MAX_WATCHED_BYTES = 32 * 1_048_576;
/** Time limit for reading contents; a command waits no longer for it. */
const MAX_READ_MS = 1_000;

interface Known {
	readonly stamp: Stamp;
	/** Permission bits. */
	readonly mode: number;
	/** Undefined if the limit was reached, or it could not be read. */
	readonly bytes: Uint8Array | undefined;
	/** If not, the file may have changed since and kept its stamp. */
	readonly isSettled: boolean;
}

type Files = ReadonlyMap<string, Known>;

/** What the last look found: an unchanged file need not be read again, and neither do the names in an unchanged folder. */
export interface Found {
	files: Files;
	readonly listings: Listings;
}

export function createFound(): Found {
	return { files: new Map(), listings: createListings() };
}

interface Look {
	/** What nothing has happened to since the look before is the same object. */
	readonly files: Files;
	/** Whether all files were visited: only then an unknown file is new. */
	readonly isWhole: boolean;
}

export function createFileWatch(options: {
	readonly folders: readonly string[];
	/** Whether a command could change the file at all, and it may be read. */
	readonly mayChange: (path: string) => boolean;
	readonly found?: Found;
	readonly limits?: { readonly files: number; readonly bytes: number };
	readonly now?: () => number;
	readonly stat?: StatFile;
}): FileWatch {
	const { folders, mayChange, now = Date.now, stat = statFile } = options;
	const { limits = { files: MAX_WATCHED_FILES, bytes: MAX_WATCHED_BYTES } } = options;
	const found = options.found ?? createFound();
	const read = createReadInPlace(folders, MAX_WATCHED_FILE_BYTES);
	let last: Look = { files: new Map(), isWhole: false };
	const look = async (): Promise<Look> => {
		const began = now();
		const files = new Map<string, Known>();
		const unread: string[] = [];
		const isWhole = await visitFiles({ folders, listings: found.listings, stat, now: began }, (path) => {
			if (files.size >= limits.files) return false;
			const stats = mayChange(path) ? stat(path, "not followed") : undefined;
			if (stats?.isFile() !== true) return true;
			const before = last.files.get(path) ?? found.files.get(path);
			const isKnown = before !== undefined && isSameStamp(before.stamp, stats);
			files.set(path, isKnown ? before : newlyFound(stats));
			if (!isKnown || (!before.isSettled && before.bytes !== undefined)) unread.push(path);
			return true;
		});
		await readContents(files, unread, began);
		found.files = files;
		return { files, isWhole };
	};
	const readContents = async (files: Map<string, Known>, paths: readonly string[], began: number): Promise<void> => {
		const deadline = performance.now() + MAX_READ_MS;
		const pace = createPace();
		let kept = 0;
		for (const { bytes } of files.values()) kept += bytes?.length ?? 0;
		for (const path of paths) {
			if (performance.now() > deadline) return;
			const known = files.get(path);
			const bytes = read(path);
			if (known === undefined || bytes === undefined) continue;
			const more = bytes.length - (known.bytes?.length ?? 0);
			const hasRoom = kept + more <= limits.bytes;
			kept += hasRoom ? more : -(known.bytes?.length ?? 0);
			const content = isSame(known.bytes, bytes) ? known.bytes : bytes;
			files.set(path, {
				...known,
				bytes: hasRoom ? content : undefined,
				isSettled: isSettled(known.stamp, began),
			});
			const pause = pace();
			if (pause !== undefined) await pause;
		}
	};
	return {
		remember: async () => {
			last = await look();
		},
		compare: async () => {
			const former = last;
			last = await look();
			const changed: ChangedContent[] = [];
			const unkept: string[] = [];
			for (const path of listTouched(former, last)) {
				const [before, after] = [former.files.get(path), last.files.get(path)];
				const isKept = (before === undefined ? former.isWhole : before.bytes !== undefined) && (!after || after.bytes);
				if (!isKept) unkept.push(path);
				else if (!isSame(before?.bytes, after?.bytes))
					changed.push({ path, before: before?.bytes, after: after?.bytes, ...(after ? {} : { mode: before?.mode }) });
			}
			return { changed, unkept };
		},
	};
}

function newlyFound(stats: BigIntStats): Known {
	return { stamp: toStamp(stats), mode: Number(stats.mode) & 0o777, bytes: undefined, isSettled: false };
}

/** A file that was not found is gone only if all were visited. */
function* listTouched(former: Look, { files, isWhole }: Look): Iterable<string> {
	for (const [path, known] of files) if (former.files.get(path) !== known) yield path;
	if (isWhole) for (const path of former.files.keys()) if (!files.has(path)) yield path;
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
	return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
}
