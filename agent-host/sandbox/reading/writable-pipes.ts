import { accessSync, constants, type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Where services keep the pipes that they take orders from. */
const SERVICES = "/run";
/** Limits for how deep they are looked for, how many names are visited, and how many are closed. */
const [MAX_DEPTH, MAX_NAMES, MAX_PIPES] = [3, 3_000, 20];

/**
 * Named pipes that the host's user may write to. A read-only mount does not prevent that: the kernel counts it as a
 * message to the reader, not as a change of the disk.
 */
export function findWritablePipes(folder = SERVICES): readonly string[] {
	const pipes: string[] = [];
	const queue = [{ path: folder, depth: 0 }];
	for (let next = 0, names = 0; next < queue.length && names < MAX_NAMES; next += 1) {
		const { path, depth } = queue[next] ?? { path: folder, depth: MAX_DEPTH };
		for (const entry of entriesIn(path)) {
			names += 1;
			const inside = join(path, entry.name);
			if (entry.isFIFO() && mayWrite(inside)) pipes.push(inside);
			else if (entry.isDirectory() && depth < MAX_DEPTH) queue.push({ path: inside, depth: depth + 1 });
		}
	}
	return pipes.slice(0, MAX_PIPES);
}

function entriesIn(folder: string): readonly Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}

function mayWrite(path: string): boolean {
	try {
		accessSync(path, constants.W_OK);
		return true;
	} catch {
		return false;
	}
}
