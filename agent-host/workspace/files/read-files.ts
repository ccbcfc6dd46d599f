import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { decodeIn } from "../../patch/encoding.ts";
import { PLATFORM } from "../../platform/platform.ts";
import { type AskEncoding, encodingOfFile, hasZero } from "./file-encoding.ts";
import { isReadableAt, type Readable } from "./readable.ts";
import { findRealPath } from "./real-path.ts";

/** Files above this size are searched, not read whole. */
export const MAX_READ_BYTES = 10_000_000;

export type ReadOutcome =
	| { readonly ok: true; readonly text: string }
	| { readonly ok: false; readonly reason: string };

/** Reads a text file, if its real path may be read. */
export async function readInside(
	path: string,
	readable: Readable,
	askEncoding: AskEncoding = async () => undefined,
): Promise<ReadOutcome> {
	const opened = await openInside(path, readable, "file");
	if (!opened.ok) return opened;
	try {
		const { size } = await opened.handle.stat();
		if (size > MAX_READ_BYTES) {
			return refuse(
				`${path} is ${size} bytes; files over ${MAX_READ_BYTES} bytes can only be searched (search_files).`,
			);
		}
		return await decodeText(path, await readAtMost(opened.handle, MAX_READ_BYTES), askEncoding);
	} finally {
		await opened.handle.close();
	}
}

/** Reads a binary file, within the same limits. */
export async function readBytesInside(
	path: string,
	readable: Readable,
	maxBytes: number,
): Promise<{ readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly reason: string }> {
	const opened = await openInside(path, readable, "file");
	if (!opened.ok) return opened;
	try {
		const { size } = await opened.handle.stat();
		if (size > maxBytes) return refuse(`${path} is ${size} bytes; the limit is ${maxBytes}.`);
		return { ok: true, bytes: await readAtMost(opened.handle, maxBytes) };
	} finally {
		await opened.handle.close();
	}
}

/** Opens a file or folder for reading and verifies, on the open handle, that it is what and where it should be. */
export async function openInside(
	path: string,
	readable: Readable,
	kind: "file" | "folder" | "either",
): Promise<{ readonly ok: true; readonly handle: FileHandle } | { readonly ok: false; readonly reason: string }> {
	const place = await resolveInside(path, readable);
	if (!place.ok) return place;
	// Non-blocking, so that a FIFO cannot block the host; no-follow, so that a link put there just now is refused.
	const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
	const handle = await open(place.real, flags).catch((error: NodeJS.ErrnoException) => error);
	if (handle instanceof Error) return refuse(describe(path, handle));
	const problem = await proveHandle(handle, path, readable, kind);
	if (problem === undefined) return { ok: true, handle };
	await handle.close();
	return refuse(problem);
}

/** The real path of a path, if that may be read. */
export async function resolveInside(
	path: string,
	readable: Readable,
): Promise<
	| { readonly ok: true; readonly real: string }
	| { readonly ok: false; readonly reason: string; readonly missing: boolean }
> {
	const problem = PLATFORM.pathProblem(path);
	if (problem !== undefined) return { ...refuse(`${path} cannot be read: ${problem}.`), missing: false };
	// Judged first: existence is revealed only for places that may be read.
	if (!isReadableAt(findRealPath(path), readable)) return { ...refuse(describeLeadingOut(path)), missing: false };
	const real = await realpath(path).catch((error: NodeJS.ErrnoException) => error);
	if (real instanceof Error) return { ...refuse(describe(path, real)), missing: real.code === "ENOENT" };
	return readable(real) ? { ok: true, real } : { ...refuse(describeLeadingOut(path)), missing: false };
}

async function proveHandle(
	handle: FileHandle,
	path: string,
	readable: Readable,
	kind: "file" | "folder" | "either",
): Promise<string | undefined> {
	const stat = await handle.stat();
	if (kind === "file" && stat.isDirectory()) return `${path} is a folder; use list_files.`;
	if (kind === "folder" && !stat.isDirectory()) return `${path} is not a folder.`;
	if (kind === "file" && !stat.isFile()) return `${path} is not a regular file.`;
	if (kind === "either" && !stat.isFile() && !stat.isDirectory()) return `${path} is neither a file nor a folder.`;
	if (process.platform !== "linux") return undefined;
	// A folder of the path may have been swapped for a link between resolving and opening: ask the kernel what we hold.
	const held = await readlink(`/proc/self/fd/${handle.fd}`);
	return readable(held) ? undefined : describeLeadingOut(path);
}

async function readAtMost(handle: FileHandle, max: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let total = 0;
	for (;;) {
		const { bytesRead, buffer } = await handle.read(Buffer.alloc(65_536), 0, 65_536);
		if (bytesRead === 0 || total >= max) return Buffer.concat(chunks).subarray(0, max);
		chunks.push(buffer.subarray(0, bytesRead));
		total += bytesRead;
	}
}

async function decodeText(path: string, bytes: Buffer, askEncoding: AskEncoding): Promise<ReadOutcome> {
	const encoding = await encodingOfFile(path, bytes, askEncoding);
	if (encoding === undefined && hasZero(bytes)) return refuse(`${path} is a binary file.`);
	const exact = encoding === undefined ? undefined : decodeIn(bytes, encoding)?.replace(/^\uFEFF/, "");
	return { ok: true, text: exact ?? new TextDecoder(encoding ?? "utf-8").decode(bytes) };
}

function describe(path: string, error: NodeJS.ErrnoException): string {
	switch (error.code) {
		case "ENOENT":
			return `${path} does not exist.`;
		case "EACCES":
		case "EPERM":
			return `${path} cannot be read: permission denied.`;
		case "ELOOP":
			return `${path} is a broken link.`;
		case "ENOTDIR":
			return `${path} does not exist: part of the path is a file.`;
		default:
			return `${path} cannot be read (${error.code ?? "unknown error"}).`;
	}
}

function describeLeadingOut(path: string): string {
	return `${path} is a link out of the workspace folders or to a blocked path.`;
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
	return { ok: false, reason };
}
