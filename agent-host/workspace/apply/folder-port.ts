import type { FileVersion } from "../files/known-files.ts";

/** The entry at a name itself: a link is a link. */
export interface Entry {
	readonly kind: "file" | "folder" | "link" | "other";
	readonly size: number;
	/** Permission bits only. */
	readonly mode: number;
	/** Equal for all names of the same file, on one machine, while it exists. */
	readonly identity: string;
	/** Changes with every write to the file. */
	readonly stamp: string;
	readonly version: FileVersion;
}

/**
 * A folder that is held open, so that all operations happen in that very folder, whatever its path means by then. Names
 * are single names; no call follows a link.
 */
export interface Folder {
	/** Its path when it was opened, without links. */
	readonly path: string;
	readonly look: (name: string) => Promise<Entry | undefined>;
	/** A whole regular file; more than `max` bytes are refused. */
	readonly read: (name: string, max: number) => Promise<Uint8Array>;
	/** The SHA-256 of the same, which is never in memory as a whole. */
	readonly hash: (name: string, max: number) => Promise<string>;
	/** Whether there is a regular file with exactly these bytes. */
	readonly holds: (name: string, bytes: Uint8Array) => Promise<boolean>;
	/**
	 * A new file with these permissions and bytes, which are on the disk when this resolves; its name is when the folder is
	 * synced. Fails if the name is taken.
	 */
	readonly create: (name: string, bytes: Uint8Array, mode: FileMode) => Promise<void>;
	/** Where a link leads, as it was written. */
	readonly readLink: (name: string) => Promise<Uint8Array>;
	/** A new link. Fails if the name is taken. */
	readonly makeLink: (name: string, target: Uint8Array) => Promise<void>;
	/** A second name for a file. Fails if the name is taken. */
	readonly link: (from: string, to: string) => Promise<void>;
	/** Replaces whatever is at `to`. */
	readonly rename: (from: string, to: string) => Promise<void>;
	readonly remove: (name: string) => Promise<void>;
	readonly makeFolder: (name: string) => Promise<void>;
	/** Fails if it is not empty. */
	readonly removeFolder: (name: string) => Promise<void>;
	readonly openFolder: (name: string) => Promise<Folder>;
	readonly list: () => Promise<readonly string[]>;
	/** Makes the names in it durable. */
	readonly sync: () => Promise<void>;
	/** Fails if the folder is no longer where it was. */
	readonly prove: () => Promise<void>;
	readonly close: () => Promise<void>;
}

/** Like the user's new files, for the user alone, or like another file. */
export type FileMode = "usual" | "private" | number;

export type OpenFolder = (path: string) => Promise<Folder>;

/** The folder moved, or became a link, between examining it and working in it. */
export class FolderMoved extends Error {
	readonly code = "EMOVED";

	constructor(path: string) {
		super(`${path} was moved or replaced in the meantime.`);
	}
}

export class FileTooLarge extends Error {
	readonly code = "ETOOLARGE";

	constructor(max: number) {
		super(`The file has more than ${max} bytes.`);
	}
}

/** A device, a pipe or a folder cannot be read as a file. */
export class NotAFile extends Error {
	readonly code = "ENOTFILE";

	constructor() {
		super("Not a regular file.");
	}
}
