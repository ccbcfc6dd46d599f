import { isInside } from "../../permissions/reach/reach.ts";
import { type Home, threadPath } from "../../store/home/home.ts";
import { listStoredThreads } from "../../store/threads/list-threads.ts";
import type { WorktreeFacts } from "../../worktrees/judge-worktree.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import type { Threads } from "../thread/threads.ts";

/** Who uses a folder now. */
export type FindUse = (path: string) => Promise<WorktreeFacts["use"]>;

export function createFindUse(options: {
	readonly home: Home;
	readonly threads: Pick<Threads, "all">;
	/** The threads with background commands. */
	readonly owners: () => readonly string[];
}): FindUse {
	const { home, threads, owners } = options;
	return async (path) => {
		const open = threads.all();
		const isRunning = (thread: LiveThread): boolean => {
			const { cwd = "", threadId, goal } = thread.state();
			if (isInside(thread.running?.envelope.workspace.cwd ?? "", path)) return true;
			if (!isInside(cwd, path)) return false;
			const isBusy = thread.running !== undefined || thread.isStarting || thread.reserved !== undefined;
			// The next turn for a goal would begin in the repository's folder.
			return isBusy || goal?.state === "active" || owners().includes(threadId);
		};
		if (open.some(isRunning)) return "running";
		const own = new Set<string>(open.map((thread) => thread.state().threadId));
		const others = (await listStoredThreads(home, new Map())).filter(
			({ threadId, cwd = "" }) => !own.has(threadId) && isInside(cwd, path),
		);
		// What another window does in a thread of its own cannot be seen from here.
		for (const { threadId } of others) if (await isHeld(home, threadPath(home, threadId))) return "elsewhere";
		return undefined;
	};
}

async function isHeld({ lock }: Home, path: string): Promise<boolean> {
	const taken = await lock(path);
	if (!("release" in taken)) return true;
	taken.release();
	return false;
}
