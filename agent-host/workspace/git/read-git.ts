import { dirname, join } from "node:path";
import { isInside } from "../../permissions/reach/reach.ts";
import { type FoundGit, findGit, listGitPlaces, readGitFile } from "./find-git.ts";

const MAX_DEPTH = 32;

export interface GitFacts {
	readonly branch?: string;
	/** Git directories that are not directly below a workspace folder. */
	readonly places: readonly string[];
}

/**
 * What can be read from files about the workspace's repositories. Git is not run: a repository can make it run
 * anything.
 */
export async function readGit(cwd: string | undefined, roots: readonly string[]): Promise<GitFacts> {
	const look = createCachedLook();
	const pointed = await Promise.all(roots.map(async (root) => listGitPlaces(await look(root))));
	const branch = cwd === undefined ? undefined : await findBranch(cwd, roots, look);
	return { ...(branch === undefined ? {} : { branch }), places: pointed.flat() };
}

type Look = (folder: string) => Promise<FoundGit>;

/** Examines each folder once, however many callers ask. */
function createCachedLook(): Look {
	const seen = new Map<string, Promise<FoundGit>>();
	return (folder) => {
		const found = seen.get(folder) ?? findGit(folder);
		seen.set(folder, found);
		return found;
	};
}

/** A branch or a commit; undefined if the file contains anything else. */
function readName(head: string): string | undefined {
	const branch = /^ref: refs\/heads\/(\S{1,200})\n?$/.exec(head)?.[1];
	if (branch !== undefined) return branch;
	const commit = /^([0-9a-f]{12})[0-9a-f]{28}(?:[0-9a-f]{24})?\n?$/.exec(head)?.[1];
	return commit === undefined ? undefined : `at ${commit}`;
}

async function findBranch(cwd: string, roots: readonly string[], look: Look): Promise<string | undefined> {
	const root = roots.find((folder) => isInside(cwd, folder));
	let folder = cwd;
	for (let depth = 0; root !== undefined && depth < MAX_DEPTH && isInside(folder, root); depth += 1) {
		const found = await look(folder);
		const head = found.kind === "none" ? undefined : await readGitFile(join(found.directory, "HEAD"));
		if (head !== undefined) return readName(head);
		folder = dirname(folder);
	}
	return undefined;
}
