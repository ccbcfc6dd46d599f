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

/** Where a pointer leads: the worktree's own directory and the shared one. */
export async function listGitPlaces(found: FoundGit): Promise<readonly string[]> {
	if (found.kind !== "pointer") return [];
	const { directory } = found;
	const common = await readGitFile(join(directory, "commondir"));
	return common === undefined ? [directory] : [directory, resolve(directory, common.trim())];
}

/** The beginning of a Git file. A link is not followed: it could lead to any file. */
export async function readGitFile(path: string): Promise<string | undefined> {
	const folder = await realpath(dirname(path)).catch(() => undefined);
	const read = await readSmallFile(path, MAX_BYTES, (real) => real === join(folder ?? "", basename(path)));
	return read.state === "read" ? read.text : undefined;
}
