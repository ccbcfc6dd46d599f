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
import { join } from "node:path";
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
/** How long the host is kept busy at a time. */
const SLICE_MS = 8;

interface Known {
	readonly stamp: string;
	/** Undefined if the limit was reached, or it could not be read. */
	readonly bytes: Uint8Array | undefined;
}

interface Look {
	readonly files: ReadonlyMap<string, string>;
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
	const learn = async (look: Look): Promise<void> => {
		const deadline = performance.now() + MAX_LOOK_MS;
		const next = new Map<string, Known>();
		const pace = createPace();
		let bytes = 0;
		for (const [path, stamp] of look.files) {
			const before = known.get(path) ?? contents.get(path);
			const content =
				before?.stamp === stamp ? before.bytes : performance.now() > deadline ? undefined : readBytes(path, isInPlace);
			const fits = content !== undefined && bytes + content.length <= limits.bytes;
			bytes += fits ? content.length : 0;
			next.set(path, { stamp, bytes: fits ? content : undefined });
			await pace();
		}
		[known, isWhole] = [next, look.isWhole];
		contents.replace(next);
	};
	return {
		remember: async () => learn(await lookAt(folders, mayChange, limits.files)),
		compare: async () => {
			const look = await lookAt(folders, mayChange, limits.files);
			const [former, wasWhole] = [known, isWhole];
			await learn(look);
			const paths = new Set([...look.files.keys(), ...(look.isWhole ? former.keys() : [])]);
			const touched = [...paths].filter((path) => former.get(path)?.stamp !== look.files.get(path));
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

/** Size, time and identity of every file below the folders. Links are never followed. */
async function lookAt(folders: readonly string[], mayChange: (path: string) => boolean, most: number): Promise<Look> {
	const deadline = performance.now() + MAX_LOOK_MS;
	const files = new Map<string, string>();
	const pace = createPace();
	const waiting = [...folders];
	for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
		for (const entry of listEntries(folder)) {
			const path = join(folder, entry.name);
			if (files.size >= most || performance.now() > deadline) return { files, isWhole: false };
			if (entry.isDirectory() && !UNWATCHED_FOLDERS.has(entry.name)) waiting.push(path);
			const stamp = entry.isFile() && mayChange(path) ? stampFile(path) : undefined;
			if (stamp !== undefined) files.set(path, stamp);
			await pace();
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

function stampFile(path: string): string | undefined {
	try {
		const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
		return stats?.isFile() ? `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}` : undefined;
	} catch {
		// Meanwhile its folder is a file, or a link that leads nowhere.
		return undefined;
	}
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
