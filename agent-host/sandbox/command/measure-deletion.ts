import { type Dirent, lstatSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { UNKNOWN_PATH } from "../../permissions/command-lines/deletion-words.ts";
import type { Deletion } from "../../permissions/policy/policy.ts";

/** Limits for the count: its size and its time. That there are many is known long before. */
const MAX_COUNTED = 10_000;
const MAX_COUNT_MS = 500;
/** Limit for the named targets. */
const MAX_TARGETS = 50;

/** Counts the files at and below the paths that a command would delete, and resolves those paths. */
export async function measureDeletion(
	paths: readonly string[],
	cwd: string,
	/** Places that must not be revealed; the sandbox protects them anyway. */
	isClosed: (path: string) => boolean = () => false,
): Promise<Deletion> {
	const known = paths.filter((path) => path !== UNKNOWN_PATH);
	const found = [...new Set(known.map((path) => resolve(cwd, path.replace(/^~(?=\/|$)/, homedir()))))];
	const targets = found.map(resolveParent).filter((path): path is string => path !== undefined && !isClosed(path));
	const deadline = performance.now() + MAX_COUNT_MS;
	const waiting = targets.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory());
	let files = targets.length - waiting.length;
	for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
		for (const entry of await listEntries(folder)) {
			if (isClosed(join(folder, entry.name))) continue;
			if (entry.isDirectory()) waiting.push(join(folder, entry.name));
			else files += 1;
		}
		if (files > MAX_COUNTED || performance.now() > deadline) break;
	}
	const isWhole = known.length === paths.length && waiting.length === 0 && targets.length <= MAX_TARGETS;
	return { targets: targets.slice(0, MAX_TARGETS), files, isWhole };
}

/** Deleting a link deletes the link itself, so only its parent is resolved; undefined if there is nothing to delete. */
function resolveParent(path: string): string | undefined {
	try {
		const real = path === "/" ? path : join(realpathSync(dirname(path)), basename(path));
		return lstatSync(real, { throwIfNoEntry: false }) === undefined ? undefined : real;
	} catch {
		return undefined;
	}
}

async function listEntries(folder: string): Promise<readonly Dirent[]> {
	try {
		return await readdir(folder, { withFileTypes: true });
	} catch {
		// A folder that cannot be listed cannot be emptied either.
		return [];
	}
}
