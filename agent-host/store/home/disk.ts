import { constants, lstatSync, statSync, writeSync } from "node:fs";
import { mkdir, open, readdir, readFile, rmdir, truncate, writeFile } from "node:fs/promises";
import { removeFile, replaceFile, syncFolder } from "../../platform/file-calls.ts";

/** A file that only grows, and can be cut back to a known size. */
export interface AppendFile {
	readonly size: () => Promise<number>;
	/** Returns the bytes written, which may be fewer on a full disk. */
	readonly write: (bytes: Buffer) => Promise<number>;
	/** When this resolves, everything is on the disk. */
	readonly sync: () => Promise<void>;
	readonly truncate: (size: number) => Promise<void>;
	readonly close: () => Promise<void>;
}

/** A file that is read in pieces. */
export interface ReadFile {
	/** Fills `into` from `position`; returns the number of bytes, 0 at the end of the file. */
	readonly read: (into: Buffer, position: number) => Promise<number>;
	readonly close: () => Promise<void>;
}

/** The disk as the store uses it. Every fault the store promises to survive is one of these calls failing. */
export interface Disk {
	readonly read: (path: string) => Promise<Buffer>;
	/** Fewer bytes than requested if the file ends before. */
	readonly readRange: (path: string, start: number, length: number) => Promise<Buffer>;
	readonly openRead: (path: string) => Promise<ReadFile>;
	/** Opens for appending; creates the file if it does not exist. Never through a link. */
	readonly openAppend: (path: string) => Promise<AppendFile>;
	readonly list: (folder: string) => Promise<readonly string[]>;
	readonly stat: (path: string) => Promise<{ readonly size: number; readonly modified: number } | undefined>;
	/** Writes a complete new file and syncs it. Fails if it exists. */
	readonly create: (path: string, bytes: Buffer) => Promise<void>;
	readonly truncate: (path: string, size: number) => Promise<void>;
	readonly rename: (from: string, to: string) => Promise<void>;
	readonly remove: (path: string) => Promise<void>;
	readonly makeFolder: (path: string) => Promise<void>;
	/** Fails if the folder is not empty. */
	readonly removeFolder: (path: string) => Promise<void>;
	/** Makes the names in a folder durable. */
	readonly syncFolder: (path: string) => Promise<void>;
}

/** Up to this size, writing synchronously into the kernel's cache is faster than waking another thread. */
const AT_ONCE_BYTES = 65_536;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export const REAL_DISK: Disk = {
	read: (path) => readFile(path),
	readRange: async (path, start, length) => {
		const handle = await open(path, constants.O_RDONLY);
		try {
			const { size } = await handle.stat();
			const there = Math.max(0, Math.min(length, size - start));
			if (there === 0) return Buffer.alloc(0);
			const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(there), 0, there, start);
			return buffer.subarray(0, bytesRead);
		} finally {
			await handle.close();
		}
	},
	openRead: async (path) => {
		const handle = await open(path, constants.O_RDONLY);
		return {
			read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
			close: () => handle.close(),
		};
	},
	openAppend: async (path) => {
		const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
		const handle = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, PRIVATE_FILE);
		return {
			size: async () => (await handle.stat()).size,
			write: async (bytes) =>
				bytes.length > AT_ONCE_BYTES ? (await handle.write(bytes)).bytesWritten : writeSync(handle.fd, bytes),
			sync: () => handle.datasync(),
			truncate: (size) => handle.truncate(size),
			close: () => handle.close(),
		};
	},
	list: async (folder) => {
		// Each turn looks for folders that mostly do not exist, which another thread says much later.
		if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) throw missing(folder);
		return readdir(folder);
	},
	// At once, for the same reason.
	stat: async (path) => {
		const found = statSync(path, { throwIfNoEntry: false });
		return found === undefined ? undefined : { size: found.size, modified: found.mtimeMs };
	},
	create: async (path, bytes) => {
		await writeFile(path, bytes, { mode: PRIVATE_FILE, flag: "wx", flush: true });
	},
	truncate: (path, size) => truncate(path, size),
	rename: replaceFile,
	remove: removeFile,
	makeFolder: async (path) => {
		await mkdir(path, { mode: PRIVATE_FOLDER });
	},
	removeFolder: (path) => rmdir(path),
	syncFolder: async (path) => {
		const folder = await open(path, constants.O_RDONLY);
		try {
			await syncFolder(folder);
		} finally {
			await folder.close();
		}
	},
};

function missing(path: string): Error {
	return Object.assign(new Error(`ENOENT: no such file or directory, scandir '${path}'`), { code: "ENOENT" });
}
