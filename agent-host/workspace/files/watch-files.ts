import type { BigIntStats } from "node:fs";
import { asBytes, type Content, isSameContent } from "./content.ts";
import { createPace } from "./pace.ts";
import { createReadInPlace, createReadLinkInPlace } from "./read-in-place.ts";
import { isSameStamp, isSettled, type Stamp, toStamp } from "./stamp.ts";
import { createListings, type Listings, type StatFile, statFile, visitFiles } from "./visit-files.ts";

/** A command's change at one path; undefined if there was or is neither a file nor a link. */
export interface ChangedContent {
	readonly path: string;
	readonly before: Content | undefined;
	readonly after: Content | undefined;
	/** Permission bits of a file that is none any more. */
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
	readonly isLink: boolean;
	/** Permission bits. */
	readonly mode: number;
	/** Undefined if the limit was reached, or it could not be read. */
	readonly content: Content | undefined;
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
	const readFile = createReadInPlace(folders, MAX_WATCHED_FILE_BYTES);
	const readLink = createReadLinkInPlace(folders);
	let last: Look = { files: new Map(), isWhole: false };
	const look = async (): Promise<Look> => {
		const began = now();
		const files = new Map<string, Known>();
		const unread: string[] = [];
		const isWhole = await visitFiles({ folders, listings: found.listings, stat, now: began }, (path) => {
			if (files.size >= limits.files) return false;
			const stats = mayChange(path) ? stat(path, "not followed") : undefined;
			if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return true;
			const before = last.files.get(path) ?? found.files.get(path);
			const isKnown = before !== undefined && isSameStamp(before.stamp, stats);
			files.set(path, isKnown ? before : newlyFound(stats));
			if (!isKnown || (!before.isSettled && before.content !== undefined)) unread.push(path);
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
		for (const { content } of files.values()) kept += sizeOf(content);
		for (const path of paths) {
			if (performance.now() > deadline) return;
			const known = files.get(path);
			const now = known?.isLink ? readLink(path) : readFile(path);
			if (known === undefined || now === undefined) continue;
			const more = sizeOf(now) - sizeOf(known.content);
			const hasRoom = kept + more <= limits.bytes;
			kept += hasRoom ? more : -sizeOf(known.content);
			const content = isSameContent(known.content, now) ? known.content : now;
			files.set(path, {
				...known,
				content: hasRoom ? content : undefined,
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
				const isKept =
					(before === undefined ? former.isWhole : before.content !== undefined) && (!after || after.content);
				if (!isKept) {
					unkept.push(path);
					continue;
				}
				const wasFile = before?.isLink === false && after?.isLink !== false;
				if (!isSameContent(before?.content, after?.content))
					changed.push({
						...{ path, before: before?.content, after: after?.content },
						...(wasFile ? { mode: before.mode } : {}),
					});
			}
			return { changed, unkept };
		},
	};
}

function newlyFound(stats: BigIntStats): Known {
	const isLink = stats.isSymbolicLink();
	return { stamp: toStamp(stats), isLink, mode: Number(stats.mode) & 0o777, content: undefined, isSettled: false };
}

function sizeOf(content: Content | undefined): number {
	return content === undefined ? 0 : asBytes(content).length;
}

/** A file that was not found is gone only if all were visited. */
function* listTouched(former: Look, { files, isWhole }: Look): Iterable<string> {
	for (const [path, known] of files) if (former.files.get(path) !== known) yield path;
	if (isWhole) for (const path of former.files.keys()) if (!files.has(path)) yield path;
}
