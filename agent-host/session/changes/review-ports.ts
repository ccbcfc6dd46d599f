import type { PatchOutcome } from "../../patch/change-set.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { Snapshots } from "../../store/log/snapshots.ts";
import type { OpenDocuments } from "../../workspace/apply/open-documents.ts";
import type { WantedFile } from "../../workspace/apply/verify-wanted.ts";
import type { LiveThread } from "../thread/live-thread.ts";

/** The effects of review and restore. */
export interface ReviewPorts {
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	readonly snapshots: (threadId: ThreadId) => Snapshots;
	readonly documents: OpenDocuments;
	readonly now: () => number;
	/** Whether a file runs with the user's build or tests. */
	readonly runsWithBuild: (path: string) => boolean;
	/** Writes files, all or none; only inside the workspace's folders and their worktrees, and only while it is trusted. */
	readonly write: (wanted: readonly WantedFile[]) => Promise<PatchOutcome>;
}
