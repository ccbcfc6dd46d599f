import { readlinkSync } from "node:fs";

/** What a link says, or undefined if there is none. */
export function tryReadlink(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}
