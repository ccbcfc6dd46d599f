import { dirname, join } from "node:path";
import { isInside } from "../permissions/reach.ts";
import { gitPlacesOf, pointedFrom, textOf } from "../sandbox/protect/git-places.ts";

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

async function branchOf(cwd: string, roots: readonly string[]): Promise<string | undefined> {
	const root = roots.find((folder) => isInside(cwd, folder));
	let folder = cwd;
	for (let depth = 0; root !== undefined && depth < MAX_DEPTH && isInside(folder, root); depth += 1) {
		const directory = await gitDirectoryOf(folder);
		const head = directory === undefined ? undefined : await textOf(join(directory, "HEAD"));
		if (head !== undefined) return /^ref: refs\/heads\/(\S{1,200})/.exec(head)?.[1] ?? `at ${head.slice(0, 12).trim()}`;
		folder = dirname(folder);
	}
	return undefined;
}

async function gitDirectoryOf(folder: string): Promise<string | undefined> {
	const path = join(folder, ".git");
	return (await textOf(join(path, "HEAD"))) === undefined ? pointedFrom(folder) : path;
}
