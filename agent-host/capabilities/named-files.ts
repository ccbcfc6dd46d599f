import { resolve } from "node:path";
import { isInside } from "../permissions/reach/reach.ts";
import { readBytesInside } from "../workspace/files/read-files.ts";
import type { Readable } from "../workspace/files/readable.ts";
import { isFolder, lookAtName } from "../workspace/files/small-file.ts";

const MAX_FILE_BYTES = 1_048_576;
/** What the user allows is shown whole, so a longer file is not run. */
const MAX_SHOWN_CHARS = 40_000;

/** A file of the workspace that a command names. */
export interface NamedFile {
	readonly path: string;
	readonly bytes: Buffer;
}

/** Every file of the workspace that one of the words names; a text says why that cannot be told. */
export async function readNamedFiles(
	words: readonly string[],
	root: string,
	readable: Readable,
): Promise<readonly NamedFile[] | string> {
	const paths = [...new Set(words.filter((word) => word !== "").map((word) => resolve(root, word)))];
	const files: NamedFile[] = [];
	for (const path of paths.sort()) {
		if (path === root || !isInside(path, root)) continue;
		const kind = await lookAtName(path);
		if (kind === "none") continue;
		if (kind === "link") return `${path} is a link`;
		const read = await readBytesInside(path, readable, MAX_FILE_BYTES);
		// A folder is not run; a file that cannot be hashed must not be.
		if (!read.ok && !isFolder(path)) return read.reason.replace(/\.$/, "");
		if (!read.ok) continue;
		if (read.bytes.toString().length > MAX_SHOWN_CHARS) return `${path} has more than ${MAX_SHOWN_CHARS} characters`;
		files.push({ path, bytes: read.bytes });
	}
	return files;
}

/** For a digest: any other byte is another value. */
export function identifyFiles(files: readonly NamedFile[]): readonly (readonly [string, string])[] {
	return files.map(({ path, bytes }) => [path, bytes.toString("latin1")] as const);
}

/** For the user: each file whole, under its path. */
export function showFiles(files: readonly NamedFile[]): readonly string[] {
	return files.map(({ path, bytes }) => `${path}:\n${bytes}`);
}
