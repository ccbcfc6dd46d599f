import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readSmallFile } from "../files/small-file.ts";

const MAX_BYTES = 4_096;

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

/** The beginning of a file of Git's own. A link is not followed: it could lead to any file. */
export async function textOf(path: string): Promise<string | undefined> {
	const folder = await realpath(dirname(path)).catch(() => undefined);
	const read = await readSmallFile(path, MAX_BYTES, (real) => real === join(folder ?? "", basename(path)));
	return read.state === "read" ? read.text : undefined;
}
