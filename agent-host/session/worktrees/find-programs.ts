import { say } from "../../protocol/say.ts";
import type { Worktree } from "../../protocol/thread/worktree.ts";
import { GIT_CALLS, readOtherFiltered, readPrograms } from "../../worktrees/git-calls.ts";
import type { CallGit } from "./call-git.ts";
import { must, refuse } from "./git-end.ts";

/** Programs in the user's Git configuration that an attributes file can choose by name. */
export interface GitPrograms {
	readonly drivers: readonly string[];
	/** Filters that only attributes in the worktree choose, each with one of its files. */
	readonly strange: readonly { readonly filter: string; readonly file: string }[];
}

/** Keeps files in another place and does nothing that a file could choose, so it may be new to a file. */
const LARGE_FILES = "lfs";
/** Files that one call names. */
export const AT_ONCE = 500;
/** How Git ends if there is no such setting. */
const NONE = 1;

/**
 * Finds what a branch could run. Commands of the agent write the attributes in a worktree; those in the repository's own
 * folder are the user's.
 */
export async function findPrograms(worktree: Worktree, call: CallGit): Promise<GitPrograms> {
	const listed = await call(GIT_CALLS.programs, "ask", worktree);
	const { drivers, filters } = readPrograms(listed.exitCode === NONE ? "" : must(listed));
	// An option for Git cannot name it.
	const odd = [...drivers, ...filters].find((name) => name.includes("="));
	if (odd !== undefined) throw refuse(say("worktree-git", { reason: `${odd} can't be switched off.` }));
	const strange: { filter: string; file: string }[] = [];
	for (const filter of filters.filter((name) => name !== LARGE_FILES)) {
		const [file] = await findStrange(worktree, filter, call);
		if (file !== undefined) strange.push({ filter, file });
	}
	return { drivers, strange };
}

async function findStrange(worktree: Worktree, filter: string, call: CallGit): Promise<readonly string[]> {
	const inside = { ...worktree, in: "worktree" } as const;
	const filtered = must(await call(GIT_CALLS.filtered(filter), "ask", inside));
	const files = [...new Set(filtered.split("\0").filter((file) => file !== ""))];
	const strange: string[] = [];
	for (let at = 0; at < files.length && strange.length === 0; at += AT_ONCE) {
		const known = must(await call(GIT_CALLS.filtersOf({ files: files.slice(at, at + AT_ONCE) }), "ask", worktree));
		strange.push(...readOtherFiltered(known, filter));
	}
	return strange;
}
