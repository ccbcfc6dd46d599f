import { type Dirent, lstatSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { UNTOLD } from "../../permissions/command-lines/deletion-words.ts";
import type { Deletion } from "../../permissions/policy/policy.ts";

/** Entries that are counted, and the time for it: whether it is many is known long before. */
const MAX_COUNTED = 10_000;
const MAX_COUNT_MS = 500;
/** Targets that are named. */
const MAX_TARGETS = 50;

/** How many files lie at and below paths that a command would delete, and where those paths really lead. */
export async function measureDeletion(
	paths: readonly string[],
	cwd: string,
	/** What nobody is to learn anything about; the sandbox keeps it anyway. */
	isClosed: (path: string) => boolean = () => false,
): Promise<Deletion> {
	const told = paths.filter((path) => path !== UNTOLD);
	const found = [...new Set(told.map((path) => resolve(cwd, path.replace(/^~(?=\/|$)/, homedir()))))];
	const targets = found.map(reallyAt).filter((path): path is string => path !== undefined && !isClosed(path));
	const deadline = performance.now() + MAX_COUNT_MS;
	const waiting = targets.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory());
	let files = targets.length - waiting.length;
	for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
		for (const entry of await entriesOf(folder)) {
			if (isClosed(join(folder, entry.name))) continue;
			if (entry.isDirectory()) waiting.push(join(folder, entry.name));
			else files += 1;
		}
		if (files > MAX_COUNTED || performance.now() > deadline) break;
	}
	const isWhole = told.length === paths.length && waiting.length === 0 && targets.length <= MAX_TARGETS;
	return { targets: targets.slice(0, MAX_TARGETS), files, isWhole };
}

/** Deleting a link deletes the link, so only the way to it is followed; nothing when there is nothing to delete. */
function reallyAt(path: string): string | undefined {
	try {
		const real = path === "/" ? path : join(realpathSync(dirname(path)), basename(path));
		return lstatSync(real, { throwIfNoEntry: false }) === undefined ? undefined : real;
	} catch {
		return undefined;
	}
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
	try {
		return await readdir(folder, { withFileTypes: true });
	} catch {
		// What cannot be listed cannot be emptied either.
		return [];
	}
}
