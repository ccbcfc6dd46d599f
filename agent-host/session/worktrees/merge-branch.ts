import { listFiles, say } from "../../protocol/say.ts";
import type { Worktree } from "../../protocol/thread/worktree.ts";
import { GIT_CALLS, readFiles, readTried, withoutDrivers } from "../../worktrees/git-calls.ts";
import type { CallGit } from "./call-git.ts";
import { AT_ONCE, findPrograms } from "./find-programs.ts";
import { must, refuse } from "./git-end.ts";

/**
 * Commits what is left in a worktree, then merges its branch. Conflicts are found before any file of the repository's
 * folder changes; a merge that fails all the same is taken back.
 */
export async function mergeBranch(
	worktree: Worktree,
	how: { readonly message: string; readonly into: string; readonly isCommitted: boolean },
	call: CallGit,
): Promise<{ readonly into: string; readonly commits: number }> {
	const { branch, folder, path } = worktree;
	const inside = { ...worktree, in: "worktree" } as const;
	const { message, into, isCommitted } = how;
	// Committing one would record its conflicts, and taking ours back would end that one.
	for (const [where, at] of [
		[folder, worktree],
		[path, inside],
	] as const) {
		const begun = await call(GIT_CALLS.mergeHead, "ask", at);
		if (begun.exitCode === 0) throw refuse(say("worktree-merging", { folder: where }));
	}
	const { drivers, strange } = await findPrograms(worktree, call);
	for (const { filter, file } of strange) throw refuse(say("worktree-filter", { branch, file, filter }));
	if (!isCommitted) {
		must(await call(GIT_CALLS.stageAll, "worktree", inside));
		must(await call(GIT_CALLS.commit(message), "worktree", inside));
	}
	const commits = Number(must(await call(GIT_CALLS.unmerged(worktree), "ask", worktree)));
	const tried = await call(withoutDrivers(GIT_CALLS.tryMerge(worktree), drivers), "worktree", worktree);
	// Older versions of Git cannot try it; they say so with another number.
	const { tree, conflicts } = readTried(tried.stdout);
	if (tried.exitCode === 1) throw refuse(say("worktree-conflicts", { branch, into, files: listFiles(conflicts) }));
	// Git replaces ignored files without a word, and does not name the others.
	const added = tried.exitCode === 0 ? readFiles(must(await call(GIT_CALLS.added(tree), "ask", worktree))) : [];
	const inTheWay: string[] = [];
	for (let at = 0; at < added.length; at += AT_ONCE) {
		const files = added.slice(at, at + AT_ONCE);
		inTheWay.push(...readFiles(must(await call(GIT_CALLS.untracked({ files }), "ask", worktree))));
	}
	if (inTheWay.length > 0) {
		throw refuse(say("worktree-in-the-way", { branch, folder, files: listFiles(inTheWay) }));
	}
	const merged = await call(withoutDrivers(GIT_CALLS.merge(worktree), drivers), "folder", worktree);
	if (merged.exitCode === 0) return { into, commits };
	// Fails if the merge did not even begin.
	await call(GIT_CALLS.abortMerge, "folder", worktree);
	throw refuse(say("worktree-git", { reason: merged.complaint }));
}
