import { readSync } from "node:fs";

const STATUS_BYTES = 4_096;

/** The backend's status output about the command so far. */
export function readStatus(status: number): string {
	const bytes = Buffer.alloc(STATUS_BYTES);
	return bytes.toString("utf8", 0, readSync(status, bytes, 0, bytes.length, 0));
}
