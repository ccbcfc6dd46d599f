import { type Dirent, readdirSync, statSync } from "node:fs";
import { opendir } from "node:fs/promises";

/** Folders whose list of names is larger are read piece by piece. File systems measure it differently, but none small. */
const MOST_AT_ONCE_BYTES = 16_384;
const PIECE = 500;

/**
 * Visits everything in a folder. A folder with hundreds of thousands of files, which any command can make, takes
 * seconds: meanwhile the host goes on. Nothing is visited if there is no such folder, or none that may be read.
 */
export function visitEntries(folder: string, visit: (entry: Dirent) => void): Promise<void> | undefined {
	try {
		if (statSync(folder).size > MOST_AT_ONCE_BYTES) return visitInPieces(folder, visit);
		for (const entry of readdirSync(folder, { withFileTypes: true })) visit(entry);
	} catch {
		// Gone, or closed to the host's user.
	}
	return undefined;
}

async function visitInPieces(folder: string, visit: (entry: Dirent) => void): Promise<void> {
	try {
		for await (const entry of await opendir(folder, { bufferSize: PIECE })) visit(entry);
	} catch {
		// The same.
	}
}
