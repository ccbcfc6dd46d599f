import { readSync } from "node:fs";

const STATUS_BYTES = 4_096;

/** What the backend has written so far about the command that it contains. */
export function readStatus(status: number): string {
	const bytes = Buffer.alloc(STATUS_BYTES);
	return bytes.toString("utf8", 0, readSync(status, bytes, 0, bytes.length, 0));
}
