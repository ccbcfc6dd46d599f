import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isMissing } from "../files/is-missing.ts";
import { readSmallFile } from "../files/small-file.ts";

const MAX_BYTES = 4_096;

/** The kind of a folder's `.git`: a directory, a file that points to one, or neither. */
export type FoundGit =
	| { readonly kind: "directory" | "pointer"; readonly directory: string }
	| { readonly kind: "none" };

export async function findGit(folder: string): Promise<FoundGit> {
	const path = join(folder, ".git");
	const found = isMissing(path) ? undefined : await stat(path).catch(() => undefined);
	if (found?.isDirectory()) return { kind: "directory", directory: path };
	const text = found === undefined ? undefined : await readGitFile(path);
	const pointer = /^gitdir: (.+)$/m.exec(text ?? "")?.[1]?.trim();
	return pointer === undefined ? { kind: "none" } : { kind: "pointer", directory: resolve(folder, pointer) };
}

/** Where else a repository lies: a worktree's own directory, where a pointer leads, and the one that it shares. */
export async function listGitPlaces(found: FoundGit): Promise<readonly string[]> {
	if (found.kind === "none") return [];
	const shared = await findShared(found.directory);
	return [...(found.kind === "pointer" ? [found.directory] : []), ...(shared === undefined ? [] : [shared])];
}

/** The directory that a Git directory leaves most to, if any: Git obeys the file wherever it is, not only in worktrees. */
export async function findShared(directory: string): Promise<string | undefined> {
	const file = join(directory, "commondir");
	const text = isMissing(file) ? undefined : await readGitFile(file);
	return text === undefined ? undefined : resolve(directory, text.trim());
}

/** The beginning of a Git file. A link is not followed: it could lead to any file. */
export async function readGitFile(path: string): Promise<string | undefined> {
	const folder = await realpath(dirname(path)).catch(() => undefined);
	const read = await readSmallFile(path, MAX_BYTES, (real) => real === join(folder ?? "", basename(path)));
	return read.state === "read" ? read.text : undefined;
}
