import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, link, lstat, mkdir, open, readdir, readlink, rmdir, symlink } from "node:fs/promises";
import { join } from "node:path";
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
type Reach = (handle: FileHandle, path: string) => { readonly base: string; readonly prove: () => Promise<void> };

/** Opens a folder by its path; no part of the path may be a link. */
export const openHeldFolder: OpenFolder = (path) => openFolderOn(process.platform)(path);

/** If the system has no names for open handles, a folder is reached by its path and its identity compared. */
export function openFolderOn(platform: NodeJS.Platform): OpenFolder {
	return (path) => openAt(path, path, platform === "linux" ? reachByHandle : reachByPath);
}

// The kernel's name for the open folder: operations below it cannot be redirected.
const reachByHandle: Reach = (handle, path) => {
	const base = `/proc/self/fd/${handle.fd}`;
	const prove = async () => {
		if ((await readlink(base)) !== path) throw new FolderMoved(path);
	};
	return { base, prove };
};

const reachByPath: Reach = (handle, path) => {
	const prove = async () => {
		const [held, now] = await Promise.all([
			handle.stat({ bigint: true }),
			lstat(path, { bigint: true }).catch(() => undefined),
		]);
		if (now === undefined || now.ino !== held.ino || now.dev !== held.dev) throw new FolderMoved(path);
	};
	return { base: path, prove };
};

async function openAt(reached: string, path: string, reach: Reach): Promise<Folder> {
	const handle = await open(reached, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
	const { base, prove } = reach(handle, path);
	try {
		await prove();
	} catch (error) {
		await handle.close();
		throw error;
	}
	const at = (name: string): string => {
		if (name === "" || name === "." || name === ".." || name.includes("\0") || PLATFORM.isPlaced(name))
			throw new Error(`Not a name: ${name}`);
		return `${base}/${name}`;
	};
	// Verified before and after, if names are reached by path: a swapped folder is noticed, if late, and the caller
	// undoes.
	const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
		if (reach === reachByHandle) return work();
		await prove();
		const result = await work();
		await prove();
		return result;
	};
	return {
		path,
		look: (name) => guarded(() => lookAt(at(name))),
		read: (name, max) => guarded(() => readWhole(at(name), max)),
		holds: (name, bytes) => guarded(() => hasBytes(at(name), bytes)),
		create: (name, bytes, mode) => guarded(() => createWhole(at(name), bytes, mode)),
		readLink: (name) => guarded(() => readlink(at(name), "buffer")),
		makeLink: (name, target) => guarded(() => symlink(Buffer.from(target), at(name))),
		link: (from, to) => guarded(() => link(at(from), at(to))),
		rename: (from, to) => guarded(() => replaceFile(at(from), at(to))),
		remove: (name) => guarded(() => removeFile(at(name))),
		makeFolder: async (name) => {
			await guarded(() => mkdir(at(name)));
		},
		removeFolder: (name) => guarded(() => rmdir(at(name))),
		openFolder: (name) => guarded(() => openAt(at(name), join(path, name), reach)),
		list: () => guarded(() => readdir(base)),
		sync: () => syncFolder(handle),
		prove,
		close: () => handle.close(),
	};
}

async function lookAt(path: string): Promise<Entry | undefined> {
	try {
		return toEntry(await lstat(path, { bigint: true }));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw error;
	}
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
	return withFile(path, (handle, size) => {
		if (size > max) throw new FileTooLarge(max);
		return readAtMost(handle, size, max);
	});
}

/** Opens a regular file to read. */
async function withFile<T>(path: string, work: (handle: FileHandle, size: number) => Promise<T>): Promise<T> {
	// Non-blocking, so that a pipe cannot block the host.
	const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	try {
		const stats = await handle.stat();
		if (!stats.isFile()) throw new NotAFile();
		return await work(handle, stats.size);
	} finally {
		await handle.close();
	}
}

const PIECE_BYTES = 1_048_576;

/** Compared piece by piece: a second copy of a large file would have to be collected. */
function hasBytes(path: string, bytes: Uint8Array): Promise<boolean> {
	return withFile(path, async (handle, size) => {
		if (size !== bytes.length) return false;
		const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
		for (let at = 0; ; ) {
			const { bytesRead } = await handle.read(piece, 0, piece.length);
			if (bytesRead === 0) return at === bytes.length;
			const same = Buffer.compare(piece.subarray(0, bytesRead), bytes.subarray(at, at + bytesRead)) === 0;
			if (!same) return false;
			at += bytesRead;
		}
	});
}

/** A file's size may be outdated by the time it is read, and is wrong for files that the kernel generates. */
async function readAtMost(handle: FileHandle, size: number, max: number): Promise<Uint8Array> {
	let bytes = Buffer.allocUnsafe(size + 1);
	let length = 0;
	for (;;) {
		const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
		length += bytesRead;
		if (bytesRead === 0) return bytes.subarray(0, length);
		if (length > max) throw new FileTooLarge(max);
		if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(Math.max(65_536, length))]);
	}
}

/** Node's own `writeFile` wakes a thread for each half megabyte. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
	for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
}

const PRIVATE = 0o600;
const USUAL = 0o666;

async function createWhole(path: string, bytes: Uint8Array, mode: FileMode): Promise<void> {
	const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode === "usual" ? USUAL : PRIVATE);
	try {
		await writeAll(handle, bytes);
		if (typeof mode === "number") await handle.chmod(mode);
		// Of an empty one only its name counts, which the sync of the folder makes durable.
		if (bytes.length > 0 || typeof mode === "number") await handle.sync();
	} finally {
		await handle.close();
	}
}
