import {
	chmodSync,
	closeSync,
	constants,
	existsSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	unlinkSync,
	writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** A folder of the host's own that no sandbox can read or write: what is handed to bubblewrap is made in it. */
export interface RunFolder {
	readonly path: string;
	/** For what is made in advance, in numbers: pipes, and folders that stand where a name is missing. */
	readonly spare: string;
	/** An empty file that nobody may read; it stands in for closed files. */
	readonly maskFile: string;
}

const PRIVATE = 0o700;
let made = 0;

export function runFolderOf(home: string): string {
	return join(home, "sandbox");
}

export function openRunFolder(home: string): RunFolder {
	const path = runFolderOf(home);
	const spare = join(path, "spare");
	makeFolder(spare);
	for (const folder of [path, spare])
		for (const name of readdirSync(folder)) if (isLeftOver(name)) removeLeftOver(join(folder, name));
	return { path, spare, maskFile: makeMaskFile(join(path, "closed")) };
}

/** A name in the folder that nothing has, and that the next host removes if this one dies. */
export function newNameIn({ path }: RunFolder): string {
	made += 1;
	return join(path, `.${process.pid}-${made}`);
}

/** Looked at rather than opened when it is there already: only root can open a file that nobody may read. */
function makeMaskFile(path: string): string {
	try {
		closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o000));
	} catch (error) {
		const found = lstatSync(path, { throwIfNoEntry: false });
		if (!found?.isFile() || found.size > 0) throw error;
		chmodSync(path, 0o000);
	}
	return path;
}

/** Files and pipes carry the number of the process that made them; that of a process that is gone is of no use. */
function isLeftOver(name: string): boolean {
	const owner = /^\.(?:pipe-)?(\d+)-/.exec(name)?.[1];
	return owner !== undefined && !existsSync(`/proc/${owner}`);
}

function removeLeftOver(path: string): void {
	try {
		rmSync(path, { recursive: true });
	} catch {
		// Another host was faster.
	}
}

// Not the recursive mkdir: on a file system that refuses every new name with ENOENT, such as /proc, it never ends.
export function makeFolder(path: string): void {
	if (existsSync(path)) return;
	if (dirname(path) !== path) makeFolder(dirname(path));
	mkdirSync(path, { mode: PRIVATE });
}

/**
 * A file without a name that holds `data` from its beginning. Complete before anyone reads it: from a stream, bubblewrap
 * would take a list that breaks off for the whole list, and leave the later protections out.
 */
export function anonymousFile(folder: RunFolder, data: Buffer): number {
	const handle = openUnnamed(folder);
	// At a position, so that the reader's place stays at the beginning.
	let done = 0;
	while (done < data.length) done += writeSync(handle, data, done, data.length - done, done);
	return handle;
}

/** Unnamed files that are read and never written to: the same bytes, asked for again, are not written again. */
export interface MemfdCache {
	/** A descriptor of its own for each reader, at the beginning. */
	readonly open: (data: Buffer) => number;
}

const MAX_SAME = 8;

export function createMemfdCache(folder: RunFolder): MemfdCache {
	let kept: { readonly data: Buffer; readonly handle: number }[] = [];
	return {
		open: (data) => {
			const known = kept.find((one) => one.data.equals(data)) ?? { data, handle: anonymousFile(folder, data) };
			kept = [known, ...kept.filter((one) => one !== known)];
			for (const { handle } of kept.splice(MAX_SAME)) closeSync(handle);
			return openSync(`/proc/self/fd/${known.handle}`, constants.O_RDONLY);
		},
	};
}

function openUnnamed(folder: RunFolder): number {
	try {
		return openSync(folder.path, O_TMPFILE | constants.O_RDWR | constants.O_EXCL, 0o600);
	} catch {
		// Not on every file system: then one that loses its name at once.
		const path = newNameIn(folder);
		const handle = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
		unlinkSync(path);
		return handle;
	}
}

/** Node has no name for the one bit that Linux adds to the flag for folders. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;

/**
 * Closes what the host itself inherited without close-on-exec: it would reach every command, and writing through an open
 * descriptor asks no mount. The channel to the editor is closed on exec and stays.
 */
export function closeInherited(): void {
	if (process.platform !== "linux") return;
	for (const name of readdirSync("/proc/self/fd")) {
		const handle = Number(name);
		if (handle <= 2) continue;
		try {
			const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "utf8"))?.[1] ?? "0";
			if ((Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0) closeSync(handle);
		} catch {
			// The one that listed the folder is closed by now.
		}
	}
}

const CLOSE_ON_EXEC = 0o2000000;
