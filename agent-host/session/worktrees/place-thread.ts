import { isInside } from "../../permissions/reach/reach.ts";
import type { ThreadSummary } from "../../protocol/thread/thread.ts";
import type { StoredWorktree } from "../../store/home/worktree-files.ts";

/** A thread with the worktree that it works in; one whose worktree was dropped is in the repository's folder again. */
export function placeThread<T extends Pick<ThreadSummary, "cwd" | "worktree">>(
	thread: T,
	worktrees: readonly StoredWorktree[],
): T {
	const { cwd } = thread;
	const own = cwd === undefined ? undefined : worktrees.find(({ path }) => isInside(cwd, path));
	if (own === undefined) return thread;
	const { branch, folder, path } = own;
	return own.state === "ready" ? { ...thread, worktree: { branch, folder, path } } : { ...thread, cwd: folder };
}
