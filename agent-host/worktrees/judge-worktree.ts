import { listFiles, type Said, say } from "../protocol/say.ts";
import type { Worktree } from "../protocol/thread/worktree.ts";

/** All that decides whether a worktree can be merged or dropped, read at one moment. */
export interface WorktreeFacts {
	readonly worktree: Pick<Worktree, "path" | "branch" | "folder">;
	/**
	 * `making`: that was interrupted, so no thread has worked in it. `dropping`: that was interrupted after everything
	 * was found committed, so missing files do not count as uncommitted.
	 */
	readonly state: "making" | "ready" | "dropping";
	/** The branch that it has checked out; undefined for a commit without a branch. */
	readonly checkedOut: string | undefined;
	/** The branch that the repository's folder has checked out; undefined for a commit without one, as during a rebase. */
	readonly into: string | undefined;
	/** Files that are not committed, untracked ones included. */
	readonly uncommitted: readonly string[];
	/** Commits of its branch that the repository's folder does not have. */
	readonly unmerged: number;
	/** Files with changes in the editor that are not saved: in the worktree, and in the repository's folder. */
	readonly unsaved: { readonly here: readonly string[]; readonly there: readonly string[] };
	/** A turn, a background command or a goal of one of its threads is active; or another window has such a thread. */
	readonly use: "running" | "elsewhere" | undefined;
}

/** Why it cannot be dropped; undefined if nothing would be lost. */
export function judgeDrop(facts: WorktreeFacts, keepBranch: boolean): Said | undefined {
	const { worktree, uncommitted, unmerged, state } = facts;
	if (state === "making") return undefined;
	const common = judgeUse(facts);
	if (common !== undefined) return common;
	if (uncommitted.length > 0) {
		const files = listFiles(uncommitted);
		return say("worktree-uncommitted", { branch: worktree.branch, files });
	}
	if (unmerged > 0 && !keepBranch) return say("worktree-unmerged", { branch: worktree.branch, count: unmerged });
	return undefined;
}

/** Why it cannot be merged. */
export function judgeMerge(facts: WorktreeFacts): Said | undefined {
	const { worktree, into, uncommitted, unmerged, unsaved, state } = facts;
	if (state !== "ready") return say("worktree-unfinished", { path: worktree.path });
	const common = judgeUse(facts);
	if (common !== undefined) return common;
	// With all files listed, only a repository of its own is listed as a folder: Git would record a mere link to it.
	const nested = uncommitted.find((file) => file.endsWith("/"));
	if (nested !== undefined) return say("worktree-nested", { path: nested });
	if (unsaved.there.length > 0) return say("worktree-unsaved", { files: listFiles(unsaved.there) });
	// The merge would become part of the rebase, or be lost with the next checkout.
	if (into === undefined) return say("worktree-no-branch", { folder: worktree.folder });
	if (uncommitted.length === 0 && unmerged === 0) return say("worktree-nothing", { branch: worktree.branch });
	return undefined;
}

/** What stands in the way of both. */
function judgeUse({ worktree, state, checkedOut, unsaved, use }: WorktreeFacts): Said | undefined {
	if (use === "running") return say("worktree-busy", { path: worktree.path });
	if (use === "elsewhere") return say("worktree-elsewhere", { path: worktree.path });
	if (unsaved.here.length > 0) return say("worktree-unsaved", { files: listFiles(unsaved.here) });
	if (checkedOut === worktree.branch || state === "dropping") return undefined;
	return say("worktree-other-branch", { path: worktree.path, branch: worktree.branch });
}
