import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createKnownFiles, readVersion } from "./known-files.ts";
import { readBytesInside } from "./read-files.ts";
import { isReadableAt, type Readable } from "./readable.ts";
import { findRealPath } from "./real-path.ts";

/** Limits for a folder that is hashed as one. */
const MAX_FILES = 512;
const MAX_BYTES = 16 * 1_048_576;
const MAX_DEPTH = 8;

export interface TreeFile {
	/** Relative to the folder, with slashes. */
	readonly path: string;
	readonly bytes: number;
	readonly isExecutable: boolean;
	/** SHA-256 of its content. */
	readonly hash: string;
}

/** Everything in a folder. `digest` changes with any name, mode or byte of it. */
export interface Tree {
	readonly files: readonly TreeFile[];
	readonly digest: string;
}

/** A folder that cannot be hashed whole is not used at all. `problem`: one sentence. */
export type TreeOutcome = Tree | { readonly problem: string };

/**
 * Hashes everything in a folder, or one file, whose path in the tree is empty. A link in it, more than can be looked through, or anything that is not a file makes it
 * unusable, since part of its content would be outside of what was hashed. `now`: hashes are kept for the next time,
 * except those of files that have just changed.
 */
export async function readTree(folder: string, readable: Readable, now?: number): Promise<TreeOutcome> {
	const files: TreeFile[] = [];
	let bytes = 0;
	const visit = async (way: string, depth: number): Promise<string | undefined> => {
		const place = join(folder, way);
		if (depth > MAX_DEPTH) return `${place} is nested too deeply.`;
		const entries = await readdir(place, { withFileTypes: true }).catch(() => undefined);
		if (entries === undefined) return `${place} cannot be read.`;
		for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
			const path = way === "" ? entry.name : `${way}/${entry.name}`;
			if (entry.isDirectory()) {
				const problem = await visit(path, depth + 1);
				if (problem !== undefined) return problem;
				continue;
			}
			if (entry.isSymbolicLink()) return `${join(folder, path)} is a link.`;
			if (files.length >= MAX_FILES) return `${folder} has more than ${MAX_FILES} files.`;
			const file = await hashFile(join(folder, path), readable, { maxBytes: MAX_BYTES - bytes, now });
			if (typeof file === "string") return file;
			bytes += file.bytes;
			files.push({ path, ...file });
		}
		return undefined;
	};
	const kind = await lstat(folder).catch(() => undefined);
	if (kind?.isFile()) {
		const file = await hashFile(folder, readable, { maxBytes: MAX_BYTES, now });
		return typeof file === "string" ? { problem: file } : asTree([{ path: "", ...file }]);
	}
	const problem = kind?.isSymbolicLink() ? `${folder} is a link.` : await visit("", 0);
	return problem === undefined ? asTree(files) : { problem };
}

function asTree(files: readonly TreeFile[]): Tree {
	return { files, digest: digestFiles(files) };
}

/** The text of a file that was hashed, if it still is exactly that. */
export async function readHashed(
	path: string,
	hash: string,
	readable: Readable,
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }> {
	const read = await readBytesInside(path, readable, MAX_BYTES);
	if (!read.ok) return read;
	if (createHash("sha256").update(read.bytes).digest("hex") !== hash) {
		return { ok: false, reason: `${path} has just changed.` };
	}
	if (read.bytes.includes(0)) return { ok: false, reason: `${path} is a binary file.` };
	return { ok: true, text: new TextDecoder("utf-8").decode(read.bytes) };
}

function digestFiles(files: readonly TreeFile[]): string {
	const lines = files.map(({ path, isExecutable, hash }) => JSON.stringify([path, isExecutable, hash]));
	return createHash("sha256").update(lines.join("\n")).digest("hex");
}

type HashedFile = Omit<TreeFile, "path">;

const KNOWN = createKnownFiles<HashedFile>();

async function hashFile(
	path: string,
	readable: Readable,
	{ maxBytes, now }: { readonly maxBytes: number; readonly now: number | undefined },
): Promise<HashedFile | string> {
	if (!isReadableAt(findRealPath(path), readable)) return `${path} cannot be read with these permissions.`;
	const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
	const handle = await open(path, flags).catch(() => undefined);
	if (handle === undefined) return `${path} cannot be read.`;
	try {
		const stat = await handle.stat({ bigint: true });
		if (!stat.isFile()) return `${path} is not a regular file.`;
		if (stat.size > BigInt(maxBytes)) return `${path} makes the folder larger than ${MAX_BYTES} bytes.`;
		const version = readVersion(stat);
		const known = KNOWN.find(path, version);
		if (known !== undefined) return known;
		const content = await handle.readFile();
		const file = {
			bytes: content.length,
			isExecutable: (stat.mode & 0o111n) !== 0n,
			hash: createHash("sha256").update(content).digest("hex"),
		};
		if (now !== undefined) KNOWN.remember(path, version, file, now);
		return file;
	} finally {
		await handle.close();
	}
}
