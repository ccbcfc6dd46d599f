/** What stands at a name, itself: a link is a link. */
export interface Entry {
	readonly kind: "file" | "folder" | "link" | "other";
	readonly size: number;
	/** Permission bits only. */
	readonly mode: number;
	/** Names of the same file share it, on one machine, while it exists. */
	readonly identity: string;
	/** Changes with every write to the file. */
	readonly stamp: string;
}

/**
 * A folder that is held open, so that what is done in it is done in that very folder, whatever its path may mean by then. Names are
 * single names; no call follows a link.
 */
export interface Folder {
	/** Where it was when it was opened, without links. */
	readonly path: string;
	readonly look: (name: string) => Promise<Entry | undefined>;
	/** A regular file, whole; more than `max` bytes are refused. */
	readonly read: (name: string, max: number) => Promise<Uint8Array>;
	/** A new file with these bytes and permissions, on the disk when this resolves. Fails when the name is taken. */
	readonly create: (name: string, bytes: Uint8Array, mode: FileMode) => Promise<void>;
	/** A second name for a file. Fails when the name is taken. */
	readonly link: (from: string, to: string) => Promise<void>;
	/** Replaces what stands at `to`. */
	readonly rename: (from: string, to: string) => Promise<void>;
	readonly remove: (name: string) => Promise<void>;
	readonly makeFolder: (name: string) => Promise<void>;
	/** Fails when it is not empty. */
	readonly removeFolder: (name: string) => Promise<void>;
	readonly openFolder: (name: string) => Promise<Folder>;
	readonly list: () => Promise<readonly string[]>;
	/** Makes the names in it durable. */
	readonly sync: () => Promise<void>;
	/** Fails when the folder is no longer where it was. */
	readonly prove: () => Promise<void>;
	readonly close: () => Promise<void>;
}

/** As the user's own new files are, for the user alone, or as another file is. */
export type FileMode = "usual" | "private" | number;

export type OpenFolder = (path: string) => Promise<Folder>;

/** A folder that moved, or became a link, between looking at it and working in it. */
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

/** Neither a device, a pipe nor a folder can be read as a file. */
export class NotAFile extends Error {
	readonly code = "ENOTFILE";

	constructor() {
		super("Not a regular file.");
	}
}
