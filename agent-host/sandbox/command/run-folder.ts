import {
	chmodSync,
	closeSync,
	constants,
	existsSync,
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
	/** An empty file that nobody may read; it stands in for closed files. */
	readonly maskFile: string;
}

const PRIVATE = 0o700;
let made = 0;

export function openRunFolder(home: string): RunFolder {
	const path = join(home, "sandbox");
	makeFolder(path);
	for (const name of readdirSync(path))
		if (isLeftOver(name)) rmSync(join(path, name), { recursive: true, force: true });
	const maskFile = join(path, "closed");
	closeSync(openSync(maskFile, constants.O_CREAT | constants.O_RDONLY | constants.O_NOFOLLOW, 0o000));
	chmodSync(maskFile, 0o000);
	return { path, maskFile };
}

/** Files and pipes carry the number of the process that made them; that of a process that is gone is of no use. */
function isLeftOver(name: string): boolean {
	const owner = /^\.(?:pipe-|spare-)?(\d+)-/.exec(name)?.[1];
	return owner !== undefined && !existsSync(`/proc/${owner}`);
}

// Not the recursive mkdir: on a file system that refuses every new name with ENOENT, such as /proc, it never ends.
function makeFolder(path: string): void {
	if (existsSync(path)) return;
	if (dirname(path) !== path) makeFolder(dirname(path));
	mkdirSync(path, { mode: PRIVATE });
}

/**
 * A file without a name that holds `data` from its beginning. Complete before anyone reads it: from a stream, bubblewrap
 * would take a list that breaks off for the whole list, and leave the later protections out.
 */
export function unnamedFile(folder: RunFolder, data: Buffer): number {
	made += 1;
	const path = join(folder.path, `.${process.pid}-${made}`);
	const handle = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
	unlinkSync(path);
	// At a position, so that the reader's place stays at the beginning.
	let done = 0;
	while (done < data.length) done += writeSync(handle, data, done, data.length - done, done);
	return handle;
}

/**
 * Closes what the host itself inherited without close-on-exec: it would reach every command, and writing through an open
 * descriptor asks no mount. The channel to the editor stays.
 */
export function closeInherited(): void {
	if (process.platform !== "linux") return;
	for (const name of readdirSync("/proc/self/fd")) {
		const handle = Number(name);
		if (handle <= 2 || name === process.env.NODE_CHANNEL_FD) continue;
		try {
			const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "utf8"))?.[1] ?? "0";
			if ((Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0) closeSync(handle);
		} catch {
			// The one that listed the folder is closed by now.
		}
	}
}

const CLOSE_ON_EXEC = 0o2000000;
