import { dirname } from "node:path";
import { type Home, makeFolders } from "../../store/home/home.ts";
import type { StoredWorktree, WorktreeFiles } from "../../store/home/worktree-files.ts";
import { GIT_CALLS, withoutFilters } from "../../worktrees/git-calls.ts";
import type { CallGit } from "./call-git.ts";
import { findPrograms } from "./find-programs.ts";
import { must } from "./git-end.ts";

/**
 * Removes a worktree that was judged: one that is ready without force, so that Git checks it once more, and what an
 * interruption left with force. Its branch goes only if nothing of it would be lost. Returns whether it is still there.
 */
export async function removeWorktree(
	worktree: StoredWorktree,
	{ call, home, files }: { readonly call: CallGit; readonly home: Pick<Home, "disk">; readonly files: WorktreeFiles },
): Promise<boolean> {
	const above = dirname(worktree.path);
	// Git can only remove it from a folder that it may write to.
	await makeFolders(home.disk, above);
	if (worktree.state === "ready") {
		await files.write({ ...worktree, state: "dropping" });
		// Git compares the files with their commit, through the filters that they have.
		const { strange } = await findPrograms(worktree, call);
		const filters = strange.map(({ filter }) => filter);
		const removed = await call(withoutFilters(GIT_CALLS.remove(worktree), filters), "worktree", worktree);
		// It has checked before it removes, so nothing is gone yet.
		if (removed.exitCode !== 0) await files.write(worktree);
		must(removed);
	} else {
		await removeUnfinished(worktree, call);
	}
	await home.disk.removeFolder(above).catch(() => undefined);
	const tip = await call(GIT_CALLS.tip(worktree), "ask", worktree);
	// Before a worktree was ready, nothing has moved its branch: another commit means another branch.
	const isOwn = worktree.state !== "making" || tip.stdout.trim() === worktree.commit;
	const isBranchKept = tip.exitCode === 0 && !(isOwn && (await deleteBranch(worktree, call)));
	await files.write({ ...worktree, state: "dropped" });
	return isBranchKept;
}

/** Git locks a worktree while it makes it, and does not remove one whose own files are incomplete. */
async function removeUnfinished(worktree: StoredWorktree, call: CallGit): Promise<void> {
	const removed = await call(GIT_CALLS.removeUnfinished(worktree), "worktree", worktree);
	if (removed.exitCode === 0) return;
	await call(GIT_CALLS.unlock(worktree), "worktree", worktree);
	must(await call.clear(worktree));
	must(await call(GIT_CALLS.prune, "worktree", worktree));
}

/** Git itself refuses to delete a branch that is not merged. */
async function deleteBranch(worktree: StoredWorktree, call: CallGit): Promise<boolean> {
	const unmerged = await call(GIT_CALLS.unmerged(worktree), "ask", worktree);
	if (unmerged.exitCode !== 0 || unmerged.stdout.trim() !== "0") return false;
	return (await call(GIT_CALLS.deleteBranch(worktree), "worktree", worktree)).exitCode === 0;
}
