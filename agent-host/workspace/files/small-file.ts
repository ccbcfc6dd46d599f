import { constants, fstatSync, readSync, statSync } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { isMissing } from "./is-missing.ts";
import type { Readable } from "./readable.ts";

export type SmallFile =
	| { readonly state: "read"; readonly text: string; readonly bytes: number }
	| { readonly state: "missing" }
	| { readonly state: "refused"; readonly reason: string };

/**
 * Reads the first `maxBytes` of a file that the host itself needs, such as AGENTS.md. Ends soon, whatever is at the
 * path: it does not wait for a FIFO, refuses a folder or device, and reads only the beginning of a huge file.
 */
export async function readSmallFile(path: string, maxBytes: number, readable: Readable): Promise<SmallFile> {
	const real = isMissing(path) ? undefined : await realpath(path).catch(() => undefined);
	if (real === undefined) return { state: "missing" };
	if (!readable(real)) return { state: "refused", reason: `${path} leads to a path that can't be read.` };
	const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
	const handle = await open(real, flags).catch((error: NodeJS.ErrnoException) => error);
	if (handle instanceof Error) {
		return handle.code === "ENOENT"
			? { state: "missing" }
			: { state: "refused", reason: `${path} cannot be read (${handle.code ?? "unknown error"}).` };
	}
	try {
		// Everything that could block is done: synchronous calls on an open file take less time than another thread's.
		const stat = fstatSync(handle.fd);
		if (!stat.isFile()) return { state: "refused", reason: `${path} is not a regular file.` };
		const buffer = Buffer.alloc(Math.min(maxBytes, stat.size));
		const bytesRead = readSync(handle.fd, buffer, 0, buffer.length, 0);
		return { state: "read", text: decode(buffer.subarray(0, bytesRead)), bytes: stat.size };
	} finally {
		await handle.close();
	}
}

/** The kind of a name itself, without following it. */
export async function lookAtName(path: string): Promise<"link" | "other" | "none"> {
	const found = isMissing(path) ? undefined : await lstat(path).catch(() => undefined);
	if (found === undefined) return "none";
	return found.isSymbolicLink() ? "link" : "other";
}

/** Asked at once, since each turn asks it of its folder: another thread would take ten times as long. */
export function isFolder(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
	} catch {
		return false;
	}
}

// A cut in the middle of a character leaves up to three meaningless bytes.
function decode(bytes: Buffer): string {
	return new TextDecoder("utf-8").decode(bytes).replace(/\uFFFD$/, "");
}
