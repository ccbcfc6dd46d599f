import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { guardedRoots, writableRoots } from "../../permissions/reach/reach.ts";
import { findProtected } from "../../workspace/files/find-protected.ts";

/** Limit for the files of one protected folder that are examined, and how deep: what is obeyed is near its top. */
const [MAX_EXAMINED, MAX_DEPTH] = [500, 2];
/** Parts of a Git directory with very many files, none of which is run. */
const BULK = new Set(["objects", "refs", "logs", "lfs"]);
/** Folders visited without a break. */
const PIECE = 500;

/**
 * Other names of protected files below the writable roots. A mount protects a name, not a file: through a second name,
 * which an archive or a copying tool may have made, a command could write to it.
 */
export async function findOtherNames(policy: Policy): Promise<readonly string[]> {
	const roots = guardedRoots(policy).filter((root) => root !== "/");
	const places = new Set([...(await findProtected(roots, policy.protect.names)), ...policy.protect.paths]);
	const files = new Set([...places].flatMap(linkedFiles));
	// Nearly always: then nothing else is read.
	return files.size === 0 ? [] : findNames(writableRoots(policy), places, files);
}

/** The identities of files with several names, at or below a protected place. */
function linkedFiles(place: string): readonly string[] {
	const queue = [{ path: place, depth: 0 }];
	const found: string[] = [];
	for (let next = 0; next < queue.length && next < MAX_EXAMINED; next += 1) {
		const { path, depth } = queue[next] ?? { path: place, depth: 0 };
		const stat = tryLstat(path);
		if (stat?.isFile() && stat.nlink > 1) found.push(`${stat.dev}:${stat.ino}`);
		if (!stat?.isDirectory() || depth > MAX_DEPTH) continue;
		const inside = entriesIn(path).filter(({ name }) => !BULK.has(name));
		queue.push(...inside.map(({ name }) => ({ path: join(path, name), depth: depth + 1 })));
	}
	return found;
}

async function findNames(
	roots: readonly string[],
	places: ReadonlySet<string>,
	files: ReadonlySet<string>,
): Promise<readonly string[]> {
	const names: string[] = [];
	const queue = [...roots];
	const seen = new Set<string>();
	for (let next = 0; next < queue.length; next += 1) {
		const folder = queue[next] ?? "";
		// What is protected as a whole is not a way to write.
		if (seen.has(folder) || places.has(folder)) continue;
		seen.add(folder);
		for (const entry of entriesIn(folder)) {
			const path = join(folder, entry.name);
			if (entry.isDirectory()) queue.push(path);
			else if (entry.isFile() && !places.has(path) && isAmong(path, files)) names.push(path);
		}
		if (next % PIECE === PIECE - 1) await new Promise(setImmediate);
	}
	return names;
}

function isAmong(path: string, files: ReadonlySet<string>): boolean {
	const stat = tryLstat(path);
	return stat !== undefined && stat.nlink > 1 && files.has(`${stat.dev}:${stat.ino}`);
}

function entriesIn(folder: string): readonly Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}

function tryLstat(path: string) {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch {
		return undefined;
	}
}
