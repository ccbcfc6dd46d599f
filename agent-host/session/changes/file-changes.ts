import { createAccess } from "../../permissions/reach/reach.ts";
import { runsWithBuild } from "../../permissions/resolve/build-names.ts";
import { type Home, threadPath } from "../../store/home/home.ts";
import { openSnapshots } from "../../store/log/snapshots.ts";
import type { Patcher } from "../../workspace/apply/patcher.ts";
import { withRealPaths } from "../../workspace/files/readable.ts";
import { createFileWatch, createFound } from "../../workspace/files/watch-files.ts";
import type { Facts } from "../facts.ts";
import type { SealedTurn } from "../start/seal-turn.ts";
import { byThread } from "../thread/by-thread.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import { listWorkFolders } from "../thread/thread-contract.ts";
import { createRestore, type Restore } from "./restore-files.ts";
import { createReview, type Review } from "./review-changes.ts";
import type { ReviewPorts } from "./review-ports.ts";
import { createSnapshotter, type Snapshotter } from "./snapshot-before-change.ts";

/** Everything about the files that a session's agent changes: snapshots, review, restore. */
export interface Changes {
	readonly review: Review;
	readonly restore: Restore;
	readonly snapshotterFor: (thread: LiveThread, sealed: Pick<SealedTurn, "envelope" | "seen">) => Snapshotter;
}

export function createChanges(options: {
	readonly home: Home;
	readonly facts: Facts;
	readonly patcher: Patcher;
	readonly open: ReviewPorts["open"];
	readonly documents: ReviewPorts["documents"];
	/** Learns which worktrees there are: threads work there, too. */
	readonly readWorktrees: () => Promise<void>;
	readonly now: () => number;
}): Changes {
	const { home, facts, patcher, open, documents, readWorktrees, now } = options;
	let lastTime = 0;
	// Also when the clock is set back: the order in which agents found a file depends on it.
	const nextTime = (): number => {
		lastTime = Math.max(now(), lastTime + 1);
		return lastTime;
	};
	const snapshots = byThread((threadId) => openSnapshots(home.disk, threadPath(home, threadId)));
	const world: ReviewPorts = {
		open: async (threadId) => {
			await readWorktrees();
			return open(threadId);
		},
		snapshots,
		documents,
		now,
		runsWithBuild: (path) => runsWithBuild(path, listWorkFolders(facts)),
		write: async (wanted) => {
			if (!facts.trusted) return { ok: false, reason: "The workspace is not trusted, so files cannot be changed." };
			// The paths come from a record: whatever it says, nothing outside the open folders and their worktrees is written.
			const writable = { roots: listWorkFolders(facts), mayWrite: () => undefined };
			return patcher.write(wanted, { writable, documents });
		},
	};
	const found = createFound();
	return {
		review: createReview(world),
		restore: createRestore(world),
		snapshotterFor: (thread, { envelope: { identity, policy }, seen }) => {
			const { threadId, turnId } = identity;
			// Files are known by their real paths, from patches and commands alike.
			const real = withRealPaths(policy.value, seen);
			const access = createAccess(real);
			const mayChange = (path: string) => access(path) === "write";
			const watch = createFileWatch({ folders: real.folders, mayChange, found });
			return createSnapshotter({
				thread,
				turnId,
				snapshots: snapshots(threadId),
				watch,
				runsWithBuild: (path) => runsWithBuild(path, real.folders),
				nextTime,
			});
		},
	};
}
