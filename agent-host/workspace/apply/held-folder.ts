import { createHash } from "node:crypto";
import {
	type BigIntStats,
	closeSync,
	constants,
	fchmodSync,
	fstatSync,
	fsync,
	lstatSync,
	open,
	openSync,
	read,
	readlinkSync,
	readSync,
	write,
	writeSync,
} from "node:fs";
import { link, mkdir, readdir, rmdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeFile, replaceFile, syncFolder } from "../../platform/file-calls.ts";
import { PLATFORM } from "../../platform/platform.ts";
import { readVersion } from "../files/known-files.ts";
import {
	type Entry,
	type FileMode,
	FileTooLarge,
	type Folder,
	FolderMoved,
	NotAFile,
	type OpenFolder,
} from "./folder-port.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = constants;

/** How the names in a held folder are reached, and how its identity is verified. */
type Reach = (fd: number, path: string) => { readonly base: string; readonly prove: () => void };

// What the kernel mostly has in memory is looked at and read at once, since waking another thread takes far longer. What
// changes names, many bytes and every sync can take the disk a while, and are left to a thread.

/** Opens a folder by its path; no part of the path may be a link. */
export const openHeldFolder: OpenFolder = (path) => openFolderOn(process.platform)(path);

/** If the system has no names for open handles, a folder is reached by its path and its identity compared. */
export function openFolderOn(platform: NodeJS.Platform): OpenFolder {
	return async (path) => openAt(path, path, platform === "linux" ? reachByHandle : reachByPath);
}

// The kernel's name for the open folder: operations below it cannot be redirected.
const reachByHandle: Reach = (fd, path) => {
	const base = `/proc/self/fd/${fd}`;
	const prove = () => {
		if (readlinkSync(base) !== path) throw new FolderMoved(path);
	};
	return { base, prove };
};

const reachByPath: Reach = (fd, path) => {
	const prove = () => {
		const held = fstatSync(fd, { bigint: true });
		const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
		if (now === undefined || now.ino !== held.ino || now.dev !== held.dev) throw new FolderMoved(path);
	};
	return { base: path, prove };
};

function openAt(reached: string, path: string, reach: Reach): Folder {
	const fd = openSync(reached, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
	const { base, prove } = reach(fd, path);
	try {
		prove();
	} catch (error) {
		closeSync(fd);
		throw error;
	}
	let isOpen = true;
	// Once it is closed, the system gives its number to what is opened next.
	const held = () => {
		if (!isOpen) throw new Error(`${path} is no longer held open.`);
		return { fd, base };
	};
	const at = (name: string): string => {
		if (name === "" || name === "." || name === ".." || name.includes("\0") || PLATFORM.isPlaced(name))
			throw new Error(`Not a name: ${name}`);
		return `${held().base}/${name}`;
	};
	// Verified before and after, if names are reached by path: a swapped folder is noticed, if late, and the caller
	// undoes.
	const guarded = async <T>(work: () => T | Promise<T>): Promise<T> => {
		if (reach === reachByHandle) return work();
		prove();
		const result = await work();
		prove();
		return result;
	};
	return {
		path,
		look: (name) => guarded(() => lookAt(at(name))),
		read: (name, max) => guarded(() => readWhole(at(name), max)),
		hash: (name, max) => guarded(() => hashWhole(at(name), max)),
		holds: (name, bytes) => guarded(() => hasBytes(at(name), bytes)),
		create: (name, bytes, mode) => guarded(() => createWhole(at(name), bytes, mode)),
		readLink: (name) => guarded(() => readlinkSync(at(name), "buffer")),
		makeLink: (name, target) => guarded(() => symlink(Buffer.from(target), at(name))),
		link: (from, to) => guarded(() => link(at(from), at(to))),
		rename: (from, to) => guarded(() => replaceFile(at(from), at(to))),
		remove: (name) => guarded(() => removeFile(at(name))),
		makeFolder: async (name) => {
			await guarded(() => mkdir(at(name)));
		},
		removeFolder: (name) => guarded(() => rmdir(at(name))),
		openFolder: (name) => guarded(() => openAt(at(name), join(path, name), reach)),
		list: () => guarded(() => readdir(held().base)),
		sync: () => syncFolder({ sync: () => syncFile(held().fd) }),
		prove: async () => prove(),
		close: async () => {
			if (isOpen) closeSync(fd);
			isOpen = false;
		},
	};
}

function lookAt(path: string): Entry | undefined {
	const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
	return stats && toEntry(stats);
}

function toEntry(stats: BigIntStats): Entry {
	const kind = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other";
	return {
		kind,
		size: Number(stats.size),
		mode: Number(stats.mode) & 0o777,
		identity: `${stats.dev}:${stats.ino}`,
		stamp: `${stats.size}:${stats.mtimeNs}`,
		version: readVersion(stats),
	};
}

function readWhole(path: string, max: number): Promise<Uint8Array> {
	return withFile(path, (fd, size) => {
		if (size > max) throw new FileTooLarge(max);
		return readAtMost(fd, size, max);
	});
}

/** Opens a regular file to read. */
async function withFile<T>(path: string, work: (fd: number, size: number) => T | Promise<T>): Promise<T> {
	// Non-blocking, so that a pipe cannot block the host.
	const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	try {
		const stats = fstatSync(fd);
		if (!stats.isFile()) throw new NotAFile();
		return await work(fd, stats.size);
	} finally {
		closeSync(fd);
	}
}

const PIECE_BYTES = 1_048_576;

/** Compared piece by piece: a second copy of a large file would have to be collected. */
function hasBytes(path: string, bytes: Uint8Array): Promise<boolean> {
	return withFile(path, async (fd, size) => {
		if (size !== bytes.length) return false;
		const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
		for (let at = 0; ; ) {
			// A byte more than there should be.
			const count = await readInto(fd, piece.subarray(0, size + 1 - at), 0);
			if (count === 0) return at === bytes.length;
			const same = Buffer.compare(piece.subarray(0, count), bytes.subarray(at, at + count)) === 0;
			if (!same) return false;
			at += count;
		}
	});
}

function hashWhole(path: string, max: number): Promise<string> {
	return withFile(path, async (fd, size) => {
		const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
		const work = createHash("sha256");
		for (let length = 0; ; ) {
			const count = await readInto(fd, piece, 0);
			if (count === 0) return work.digest("hex");
			length += count;
			if (length > max) throw new FileTooLarge(max);
			work.update(piece.subarray(0, count));
		}
	});
}

/** A file's size may be outdated by the time it is read, and is wrong for files that the kernel generates. */
async function readAtMost(fd: number, size: number, max: number): Promise<Uint8Array> {
	let bytes = Buffer.allocUnsafe(size + 1);
	let length = 0;
	for (;;) {
		const count = await readInto(fd, bytes, length);
		length += count;
		if (count === 0) return bytes.subarray(0, length);
		if (length > max) throw new FileTooLarge(max);
		if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(Math.max(AT_ONCE_BYTES, length))]);
	}
}

/** Up to this size, the kernel copies bytes faster than another thread wakes. */
const AT_ONCE_BYTES = 65_536;
const [openInThread, readInThread, writeInThread] = [promisify(open), promisify(read), promisify(write)];
const syncFile = promisify(fsync);

/** Fills a buffer from `at` on; returns the number of bytes, 0 at the end of the file. */
async function readInto(fd: number, bytes: Uint8Array, at: number): Promise<number> {
	const room = bytes.length - at;
	if (room <= AT_ONCE_BYTES) return readSync(fd, bytes, at, room, null);
	return (await readInThread(fd, bytes, at, room, null)).bytesRead;
}

/** Node's own `writeFile` wakes a thread for each half megabyte. */
async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
	for (let at = 0; at < bytes.length; ) {
		const left = bytes.length - at;
		at += left <= AT_ONCE_BYTES ? writeSync(fd, bytes, at) : (await writeInThread(fd, bytes, at, left)).bytesWritten;
	}
}

const PRIVATE = 0o600;
const USUAL = 0o666;

async function createWhole(path: string, bytes: Uint8Array, mode: FileMode): Promise<void> {
	const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
	const fd = await openInThread(path, flags, mode === "usual" ? USUAL : PRIVATE);
	try {
		await writeAll(fd, bytes);
		if (typeof mode === "number") fchmodSync(fd, mode);
		// Of an empty one only its name counts, which the sync of the folder makes durable.
		if (bytes.length > 0 || typeof mode === "number") await syncFile(fd);
	} finally {
		closeSync(fd);
	}
}
