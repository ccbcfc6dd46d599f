import { basename, dirname } from "node:path";
import { savedBytes } from "../../patch/text-file.ts";
import type { Link } from "../files/content.ts";
import { encodingOfFile } from "../files/file-encoding.ts";
import { createKnownFiles, type FileVersion } from "../files/known-files.ts";
import { hashBytes, hashContent } from "./hash-bytes.ts";
import { openHeldFolder } from "./held-folder.ts";
import type { OpenDocuments } from "./open-documents.ts";
import { describeError } from "./place.ts";
import { MAX_FILE_BYTES } from "./verify.ts";

/** A file as the user sees it: the editor's text if it has unsaved changes, otherwise the disk's. */
export type FileState =
	/** There may be a folder. */
	| { readonly state: "absent" }
	| { readonly state: "link"; readonly link: Link; readonly hash: string }
	| {
			readonly state: "file";
			readonly bytes: Uint8Array;
			readonly hash: string;
			/** Permission bits. */
			readonly mode: number;
			readonly isOpen: boolean;
	  }
	| { readonly state: "unreadable"; readonly reason: string };

type ReadFile = Extract<FileState, { readonly state: "file" }>;

/** What a file is; without its bytes if nothing has happened to it since they were last read. */
export type FileGlance = Exclude<FileState, ReadFile> | ReadFile | Omit<ReadFile, "bytes" | "mode">;

const KNOWN_HASHES = createKnownFiles<string>();

/** A longer file is hashed piece by piece instead: a thread may have changed hundreds of them. */
const MAX_KEPT_BYTES = 262_144;

/**
 * As `readFileState`, but reads the bytes only if something has happened to the file since the last glance at it: a turn
 * begins with a glance at all files that its thread has ever changed.
 */
export async function glanceAtFile(path: string, documents: OpenDocuments, now: number): Promise<FileGlance> {
	const isUnsaved = documents.textOf(path) !== undefined && (await documents.isUnsaved(path));
	const seen = isUnsaved ? undefined : await glanceAtDisk(path);
	const glance: FileGlance =
		seen?.hash === undefined ? await readFileState(path, documents) : { state: "file", hash: seen.hash, isOpen: false };
	if (seen !== undefined && glance.state === "file" && !glance.isOpen)
		KNOWN_HASHES.remember(path, seen.version, glance.hash, now);
	return glance;
}

/** The hash of what is there; undefined if there is neither a file nor a link. */
export function hashNow(now: FileGlance): string | undefined {
	return now.state === "file" || now.state === "link" ? now.hash : undefined;
}

/** Reads a file by its resolved path; does not follow links. */
export async function readFileState(path: string, documents: OpenDocuments): Promise<FileState> {
	const read = await readWhole(path);
	if (typeof read === "string") return { state: "unreadable", reason: read };
	if (read !== undefined && "target" in read) return { state: "link", link: read, hash: hashContent(read) };
	const open = documents.textOf(path);
	const document = open !== undefined && (await documents.isUnsaved(path)) ? open : undefined;
	// A deleted file stays in the editor until it is closed there, and does not count as a file.
	if (read === undefined) return { state: "absent" };
	const { bytes, mode } = read;
	const seen =
		document === undefined
			? bytes
			: savedBytes(document.text, bytes, await encodingOfFile(path, bytes, documents.encodingOf));
	return { state: "file", bytes: seen, hash: hashBytes(seen), mode, isOpen: document !== undefined };
}

/** Without a hash it has to be read. Undefined for what is not a file, or cannot be reached. */
async function glanceAtDisk(
	path: string,
): Promise<{ readonly version: FileVersion; readonly hash: string | undefined } | undefined> {
	try {
		const folder = await openHeldFolder(dirname(path));
		try {
			const entry = await folder.look(basename(path));
			if (entry?.kind !== "file") return undefined;
			const { version, size } = entry;
			const known = KNOWN_HASHES.find(path, version);
			if (known !== undefined || size <= MAX_KEPT_BYTES) return { version, hash: known };
			return { version, hash: await folder.hash(basename(path), MAX_FILE_BYTES) };
		} finally {
			await folder.close();
		}
	} catch {
		// Reading it says why.
		return undefined;
	}
}

/** Undefined if there is neither a file nor a link; or why it cannot be read. */
async function readWhole(path: string): Promise<Pick<ReadFile, "bytes" | "mode"> | Link | string | undefined> {
	try {
		const folder = await openHeldFolder(dirname(path));
		try {
			const entry = await folder.look(basename(path));
			if (entry === undefined || entry.kind === "folder") return undefined;
			if (entry.kind === "link") return { target: await folder.readLink(basename(path)) };
			return { bytes: await folder.read(basename(path), MAX_FILE_BYTES), mode: entry.mode };
		} finally {
			await folder.close();
		}
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		// Below a file there is none.
		return code === "ENOENT" || code === "ENOTDIR" ? undefined : describeError(error);
	}
}
