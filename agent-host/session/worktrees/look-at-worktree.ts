import type { StoredWorktree } from "../../store/home/worktree-files.ts";
import { isFolder } from "../../workspace/files/small-file.ts";
import { GIT_CALLS, type GitWords, readStatus } from "../../worktrees/git-calls.ts";
import type { WorktreeFacts } from "../../worktrees/judge-worktree.ts";
import type { CallGit } from "./call-git.ts";
import type { FindUse } from "./find-use.ts";
import { must } from "./git-end.ts";
import { findUnsaved } from "./unsaved.ts";

/** Reads everything that decides whether a worktree can be merged or dropped. */
export async function lookAtWorktree(
	worktree: StoredWorktree,
	{
		call,
		documents,
		findUse,
	}: {
		readonly call: CallGit;
		readonly documents: ReadonlyMap<string, string>;
		readonly findUse: FindUse;
	},
): Promise<WorktreeFacts> {
	const { path, folder } = worktree;
	const state = await stateOf(worktree);
	const ask = (words: GitWords) => call(words, "ask", worktree);
	const tip = await ask(GIT_CALLS.tip(worktree));
	return {
		...{ worktree, state },
		...(await readInside(worktree, state, call)),
		unmerged: tip.exitCode === 0 ? Number(must(await ask(GIT_CALLS.unmerged(worktree)))) : 0,
		unsaved: { here: await findUnsaved(documents, path), there: await findUnsaved(documents, folder) },
		use: await findUse(path),
		into: (await ask(GIT_CALLS.headBranch)).stdout.trim() || undefined,
	};
}

/** A folder that somebody deleted is as good as half dropped: there is nothing left to lose in it. */
async function stateOf({ state, path }: StoredWorktree): Promise<WorktreeFacts["state"]> {
	if (state === "making") return state;
	return state === "ready" && isFolder(path) ? "ready" : "dropping";
}

async function readInside(
	worktree: StoredWorktree,
	state: WorktreeFacts["state"],
	call: CallGit,
): Promise<Pick<WorktreeFacts, "checkedOut" | "uncommitted">> {
	const nothing = { checkedOut: undefined, uncommitted: [] };
	if (state === "making" || !isFolder(worktree.path)) return nothing;
	const inside = (words: GitWords) => call(words, "ask", { ...worktree, in: "worktree" });
	const status = await inside(GIT_CALLS.status);
	// Of one that is half removed, Git may not find its own files.
	if (state === "dropping") return { ...nothing, uncommitted: readStatus(status.stdout, "present") };
	const branch = (await inside(GIT_CALLS.headBranch)).stdout.trim();
	return { checkedOut: branch === "" ? undefined : branch, uncommitted: readStatus(must(status), "all") };
}
