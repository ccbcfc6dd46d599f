import { dirname, isAbsolute, join, resolve } from "node:path";
import { isInside } from "../permissions/reach.ts";
import { readSmallFile } from "../sandbox/files/small-file.ts";

const MAX_BYTES = 4_096;
const MAX_DEPTH = 32;

export interface GitFacts {
	readonly branch?: string;
	/** Git directories that lie elsewhere than directly below a workspace folder. */
	readonly places: readonly string[];
}

/** What files alone tell of the repositories of the workspace. No git is run: a repository may make it run anything. */
export async function readGit(cwd: string | undefined, roots: readonly string[]): Promise<GitFacts> {
	const pointed = await Promise.all(roots.map(gitPlacesOf));
	const branch = cwd === undefined ? undefined : await branchOf(cwd, roots);
	return { ...(branch === undefined ? {} : { branch }), places: pointed.flat() };
}

/** Where a pointer file `.git` leads: the worktree's own directory and the one it shares with the others. */
async function gitPlacesOf(root: string): Promise<readonly string[]> {
	const directory = await gitDirectoryOf(root);
	if (directory === undefined || directory === join(root, ".git")) return [];
	const common = await text(join(directory, "commondir"));
	return common === undefined ? [directory] : [directory, resolve(directory, common.trim())];
}

async function branchOf(cwd: string, roots: readonly string[]): Promise<string | undefined> {
	const root = roots.find((folder) => isInside(cwd, folder));
	let folder = cwd;
	for (let depth = 0; root !== undefined && depth < MAX_DEPTH && isInside(folder, root); depth += 1) {
		const directory = await gitDirectoryOf(folder);
		const head = directory === undefined ? undefined : await text(join(directory, "HEAD"));
		if (head !== undefined) return /^ref: refs\/heads\/(\S{1,200})/.exec(head)?.[1] ?? `at ${head.slice(0, 12).trim()}`;
		folder = dirname(folder);
	}
	return undefined;
}

async function gitDirectoryOf(folder: string): Promise<string | undefined> {
	const path = join(folder, ".git");
	if ((await text(join(path, "HEAD"))) !== undefined) return path;
	const pointer = /^gitdir: (.+)$/m.exec((await text(path)) ?? "")?.[1]?.trim();
	if (pointer === undefined) return undefined;
	return isAbsolute(pointer) ? pointer : resolve(folder, pointer);
}

async function text(path: string): Promise<string | undefined> {
	const read = await readSmallFile(path, MAX_BYTES, () => true);
	return read.state === "read" ? read.text : undefined;
}
