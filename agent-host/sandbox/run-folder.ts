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

/** A folder of the host that no sandbox can read or write: files for bubblewrap are created in it. */
export interface RunFolder {
	readonly path: string;
	/** For what is created in advance, in numbers: pipes, and placeholder folders. */
	readonly spare: string;
	/** An empty unreadable file that replaces closed files. */
	readonly maskFile: string;
}

const PRIVATE = 0o700;
let made = 0;

export function runFolderOf(home: string): string {
	return join(home, "sandbox");
}

/** The temporary files of all threads. */
export function temporaryFoldersIn(home: string): string {
	return join(home, "tmp");
}

export function openRunFolder(home: string): RunFolder {
	const path = runFolderOf(home);
	const spare = join(path, "spare");
	makeFolder(spare);
	for (const folder of [path, spare])
		for (const name of readdirSync(folder)) if (isLeftOver(name)) removeLeftOver(join(folder, name));
	return { path, spare, maskFile: makeMaskFile(join(path, "closed")) };
}

/** An unused name in the folder; the next host removes it if this one dies. */
export function newNameIn({ path }: RunFolder): string {
	made += 1;
	return join(path, `.${process.pid}-${made}`);
}

/** An existing one is checked rather than opened: only root can open an unreadable file. */
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

/** Files and pipes carry the id of the process that made them; those of a dead process are useless. */
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
 * An unnamed file that contains `data`. Complete before anyone reads it: from a stream, bubblewrap would take a
 * truncated list for the whole list, and leave out the later protections.
 */
export function anonymousFile(folder: RunFolder, data: Buffer): number {
	const handle = openUnnamed(folder);
	writeWhole(handle, data);
	return handle;
}

/** At a position, so that a reader's offset stays at the beginning. */
export function writeWhole(handle: number, data: Buffer): void {
	let done = 0;
	while (done < data.length) done += writeSync(handle, data, done, data.length - done, done);
}

/** Unnamed files that are read and never written to: the same bytes are not written again. */
export interface MemfdCache {
	/** Returns a separate descriptor for each reader, at the beginning. */
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
		// Not supported on every file system: then a named file that is unlinked at once.
		const path = newNameIn(folder);
		const handle = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
		unlinkSync(path);
		return handle;
	}
}

/** Node has no name for the one bit that Linux adds to the flag for folders. */
const O_TMPFILE = 0o20000000 | constants.O_DIRECTORY;

/**
 * Closes descriptors that the host inherited without close-on-exec: they would reach every command, and no mount
 * prevents writing through an open descriptor. The channel to the editor has close-on-exec and stays.
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
			// The descriptor that listed the folder is already closed.
		}
	}
}

const CLOSE_ON_EXEC = 0o2000000;
