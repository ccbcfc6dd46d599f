import { lstatSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { Policy } from "../../permissions/policy.ts";
import { guardedRoots, isProtectedName } from "../../permissions/reach.ts";
import { readSmallFile } from "../files/small-file.ts";

const MAX_BYTES = 4_096;

/**
 * The policy with the Git directories that pointer files lead to, such as a worktree's, protected like any other. Read at
 * every launch, for all writable roots: a pointer may be younger than the turn.
 */
export async function withGitPlaces(policy: Policy): Promise<Policy> {
	if (!isProtectedName(policy.protect.names, ".git")) return policy;
	const pointers = guardedRoots(policy).filter((root) => isFile(join(root, ".git")));
	if (pointers.length === 0) return policy;
	const places = await Promise.all(pointers.map(gitPlacesOf));
	return { ...policy, protect: { ...policy.protect, paths: [...policy.protect.paths, ...places.flat()] } };
}

/** Where a pointer file `.git` leads: the worktree's own directory and the one it shares with the others. */
export async function gitPlacesOf(folder: string): Promise<readonly string[]> {
	const directory = await pointedFrom(folder);
	if (directory === undefined) return [];
	const common = await textOf(join(directory, "commondir"));
	return common === undefined ? [directory] : [directory, resolve(directory, common.trim())];
}

/** The directory that a folder's file `.git` names; undefined where there is no such file. */
export async function pointedFrom(folder: string): Promise<string | undefined> {
	const pointer = /^gitdir: (.+)$/m.exec((await textOf(join(folder, ".git"))) ?? "")?.[1]?.trim();
	if (pointer === undefined) return undefined;
	return isAbsolute(pointer) ? pointer : resolve(folder, pointer);
}

/** The beginning of a file of Git's own. */
export async function textOf(path: string): Promise<string | undefined> {
	const read = await readSmallFile(path, MAX_BYTES, () => true);
	return read.state === "read" ? read.text : undefined;
}

function isFile(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
	} catch {
		// A root may itself be a file, or closed to us; then no Git looks there either.
		return false;
	}
}
