import { lstatSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
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
	const places = await Promise.all(pointers.map(async (root) => placesOf(await findGit(root))));
	return { ...policy, protect: { ...policy.protect, paths: [...policy.protect.paths, ...places.flat()] } };
}

/** What a folder's `.git` is: a directory, a file that points to one, or nothing of Git's. */
export type FoundGit =
	| { readonly kind: "directory" | "pointer"; readonly directory: string }
	| { readonly kind: "none" };

export async function findGit(folder: string): Promise<FoundGit> {
	const path = join(folder, ".git");
	const found = await stat(path).catch(() => undefined);
	if (found?.isDirectory()) return { kind: "directory", directory: path };
	const text = found === undefined ? undefined : await textOf(path);
	const pointer = /^gitdir: (.+)$/m.exec(text ?? "")?.[1]?.trim();
	return pointer === undefined ? { kind: "none" } : { kind: "pointer", directory: resolve(folder, pointer) };
}

/** Where a pointer leads: the worktree's own directory and the one it shares with the others. */
export async function placesOf(found: FoundGit): Promise<readonly string[]> {
	if (found.kind !== "pointer") return [];
	const { directory } = found;
	const common = await textOf(join(directory, "commondir"));
	return common === undefined ? [directory] : [directory, resolve(directory, common.trim())];
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
