import {
	closeSync,
	constants,
	type Dirent,
	fstatSync,
	lstatSync,
	openSync,
	readdirSync,
	readFileSync,
	readlinkSync,
} from "node:fs";
import { sep } from "node:path";
import { findRealPath } from "./real-path.ts";

/** A command's change of one file; undefined if there was or is no file. */
export interface ChangedContent {
	readonly path: string;
	readonly before: Uint8Array | undefined;
	readonly after: Uint8Array | undefined;
}

/** Remembers files before a command, so that its changes can be undone. */
export interface FileWatch {
	/** Examines all files, and keeps the contents of new and changed ones. */
	readonly remember: () => Promise<void>;
	/** The differences. `unkept` are files whose former content was not kept. */
	readonly compare: () => Promise<{ readonly changed: readonly ChangedContent[]; readonly unkept: readonly string[] }>;
}

/** Folders with generated files; changes in them are not kept. */
const UNWATCHED_FOLDERS: ReadonlySet<string> = new Set([
	...[".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"],
	...["target", ".cache", ".next", ".gradle", ".tox", ".mypy_cache"],
]);
/** Limit for the examined files. */
const MAX_WATCHED_FILES = 10_000;
/** Limits for the contents that are kept while a turn runs: of one file, and of all files. */
const MAX_WATCHED_FILE_BYTES = 1_048_576;
const MAX_WATCHED_BYTES = 32 * 1_048_576;
/** Time limit of one examination; a command waits no longer for it. */
const MAX_LOOK_MS = 1_000;
/** How long the host is kept busy at a time. A command's result goes to the model in several steps, each of which may wait for this. */
const SLICE_MS = 2;

/** A file's identity, size and times. */
type Stamp = Readonly<Record<"ino" | "size" | "mtimeNs" | "ctimeNs", bigint>>;

interface Known {
	readonly stamp: Stamp;
	/** Undefined if the limit was reached, or it could not be read. */
	readonly bytes: Uint8Array | undefined;
}

interface Look {
	readonly files: ReadonlyMap<string, Stamp>;
	/** Whether all files were visited: only then an unknown file is new. */
	readonly isWhole: boolean;
}

/** A cache of file contents: an unchanged file need not be read again. */
export interface Contents {
	readonly get: (path: string) => Known | undefined;
	readonly replace: (known: ReadonlyMap<string, Known>) => void;
}

export function createContents(): Contents {
	let known: ReadonlyMap<string, Known> = new Map();
	return {
		get: (path) => known.get(path),
		replace: (next) => {
			known = next;
		},
	};
}

export function createFileWatch(options: {
	readonly folders: readonly string[];
	/** Whether a command could change the file at all, and it may be read. */
	readonly mayChange: (path: string) => boolean;
	readonly contents?: Contents;
	readonly limits?: { readonly files: number; readonly bytes: number };
}): FileWatch {
	const { folders, mayChange, limits = { files: MAX_WATCHED_FILES, bytes: MAX_WATCHED_BYTES } } = options;
	const contents = options.contents ?? createContents();
	const isInPlace = createPlaceCheck(folders);
	let known = new Map<string, Known>();
	let isWhole = false;
	const find = (path: string): Known | undefined => known.get(path) ?? contents.get(path);
	const look = (): Promise<Look> => lookAt(folders, mayChange, limits.files, (path) => find(path)?.stamp);
	const learn = async (look: Look): Promise<void> => {
		const deadline = performance.now() + MAX_LOOK_MS;
		const next = new Map<string, Known>();
		const pace = createPace();
		let bytes = 0;
		for (const [path, stamp] of look.files) {
			const before = find(path);
			const isKnown = before !== undefined && isSameStamp(before.stamp, stamp);
			const content = isKnown ? before.bytes : performance.now() > deadline ? undefined : readBytes(path, isInPlace);
			const fits = content !== undefined && bytes + content.length <= limits.bytes;
			bytes += fits ? content.length : 0;
			next.set(path, isKnown && fits ? before : { stamp, bytes: fits ? content : undefined });
			const pause = pace();
			if (pause !== undefined) await pause;
		}
		[known, isWhole] = [next, look.isWhole];
		contents.replace(next);
	};
	return {
		remember: async () => learn(await look()),
		compare: async () => {
			const looked = await look();
			const [former, wasWhole] = [known, isWhole];
			await learn(looked);
			const touched: string[] = [];
			for (const [path, stamp] of looked.files) if (!isSameStamp(former.get(path)?.stamp, stamp)) touched.push(path);
			if (looked.isWhole) for (const path of former.keys()) if (!looked.files.has(path)) touched.push(path);
			const changed: ChangedContent[] = [];
			const unkept: string[] = [];
			for (const path of touched) {
				const [before, after] = [former.get(path), known.get(path)];
				const isKept = (before === undefined ? wasWhole : before.bytes !== undefined) && (!after || after.bytes);
				if (!isKept) unkept.push(path);
				else if (!isSame(before?.bytes, after?.bytes))
					changed.push({ path, before: before?.bytes, after: after?.bytes });
			}
			return { changed, unkept };
		},
	};
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
	return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
}

/**
 * Stamps of every file below the folders; one that is as it was keeps its `former` stamp, as there are thousands and few
 * change. Links are never followed.
 */
async function lookAt(
	folders: readonly string[],
	mayChange: (path: string) => boolean,
	most: number,
	former: (path: string) => Stamp | undefined,
): Promise<Look> {
	const deadline = performance.now() + MAX_LOOK_MS;
	const files = new Map<string, Stamp>();
	const pace = createPace();
	const waiting = [...folders];
	for (let next = 0; next < waiting.length; next += 1) {
		const folder = waiting[next] ?? "";
		const start = folder.endsWith(sep) ? folder : folder + sep;
		for (const entry of listEntries(folder)) {
			if (files.size >= most) return { files, isWhole: false };
			const path = start + entry.name;
			if (entry.isDirectory() && !UNWATCHED_FOLDERS.has(entry.name)) waiting.push(path);
			const stamp = entry.isFile() && mayChange(path) ? stampFile(path, former(path)) : undefined;
			if (stamp !== undefined) files.set(path, stamp);
			const pause = pace();
			if (pause === undefined) continue;
			await pause;
			if (performance.now() > deadline) return { files, isWhole: false };
		}
	}
	return { files, isWhole: true };
}

function listEntries(folder: string): readonly Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}

function stampFile(path: string, former: Stamp | undefined): Stamp | undefined {
	try {
		const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
		if (!stats?.isFile()) return undefined;
		if (isSameStamp(former, stats)) return former;
		const { ino, size, mtimeNs, ctimeNs } = stats;
		return { ino, size, mtimeNs, ctimeNs };
	} catch {
		// Meanwhile its folder is a file, or a link that leads nowhere.
		return undefined;
	}
}

function isSameStamp(a: Stamp | undefined, b: Stamp): boolean {
	if (a === b) return true;
	return a?.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

type IsInPlace = (handle: number, path: string) => boolean;

/** A command may replace a folder by a link after it was listed: the open file must lie where its path says. */
function createPlaceCheck(folders: readonly string[]): IsInPlace {
	if (process.platform !== "linux") return () => true;
	const real = folders.map((folder) => [folder, findRealPath(folder).real] as const);
	return (handle, path) => {
		const found = readlinkSync(`/proc/self/fd/${handle}`);
		return real.some(([folder, place]) => path.startsWith(folder) && found === place + path.slice(folder.length));
	};
}

function readBytes(path: string, isInPlace: IsInPlace): Uint8Array | undefined {
	const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
	try {
		const handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
		try {
			const stats = fstatSync(handle);
			const isRead = stats.isFile() && stats.size <= MAX_WATCHED_FILE_BYTES && isInPlace(handle, path);
			return isRead ? readFileSync(handle) : undefined;
		} finally {
			closeSync(handle);
		}
	} catch {
		return undefined;
	}
}

/** Lets other work run now and then: thousands of fast synchronous calls are faster than as many promises. */
function createPace(): () => Promise<void> | undefined {
	let until = performance.now() + SLICE_MS;
	return () => {
		if (performance.now() < until) return undefined;
		return new Promise((resolve) =>
			setImmediate(() => {
				until = performance.now() + SLICE_MS;
				resolve();
			}),
		);
	};
}
