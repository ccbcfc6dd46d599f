import * as z from "zod";
import { defineMethod } from "../method.ts";

/** Length limit of a branch name, so that the folder named after it fits every file system. */
export const MAX_BRANCH_CHARS = 100;

/** A Git worktree that threads work in. */
export const Worktree = z.object({
	/** The folder that it is checked out to: the folder of its threads. */
	path: z.string(),
	/** The repository's folder in the workspace. */
	folder: z.string(),
	/** The Git directory that both share. */
	repository: z.string(),
	branch: z.string(),
	/** What `folder` had checked out then: a branch, or a commit. */
	from: z.string(),
	/** The commit that the branch began with. */
	commit: z.string(),
	madeAt: z.number(),
});
export type Worktree = z.infer<typeof Worktree>;

/** `unfinished`: making or dropping it was interrupted; dropping it cleans up. */
const ShownWorktree = Worktree.extend({ state: z.enum(["ready", "unfinished"]) });

export const worktreePlan = defineMethod(
	"worktree/plan",
	"What making a worktree for a workspace folder would do. Without `branch`, a name is chosen. Changes nothing.",
	{
		params: z.object({ folder: z.string(), branch: z.string().max(1_000).optional() }),
		result: Worktree.omit({ madeAt: true }).extend({
			/** The Git command, without the options that switch hooks off. */
			command: z.string(),
			/** Identifies all of it; `worktree/add` does exactly this, or nothing. */
			digest: z.string(),
		}),
	},
);

export const worktreeAdd = defineMethod(
	"worktree/add",
	"Makes the worktree that `worktree/plan` showed, which the user has approved. Its path can then be a thread's `cwd`.",
	{
		params: z.object({ folder: z.string(), branch: z.string(), digest: z.string() }),
		result: z.object({ path: z.string() }),
	},
);

export const worktreeList = defineMethod("worktree/list", "The worktrees of the open folders, newest first.", {
	params: z.object({}),
	result: z.object({ worktrees: z.array(ShownWorktree) }),
});

export const worktreeInspect = defineMethod(
	"worktree/inspect",
	"What would be merged from a worktree, and what would be lost with it.",
	{
		params: z.object({ path: z.string() }),
		result: ShownWorktree.extend({
			/** What the repository's folder has checked out now. */
			into: z.string(),
			/** Files that are not committed, untracked ones included. */
			uncommitted: z.array(z.string()),
			/** Commits of the branch that `into` does not contain. */
			unmerged: z.number(),
		}),
	},
);

export const worktreeMerge = defineMethod(
	"worktree/merge",
	"Commits what is not committed in a worktree, then merges its branch into what the repository's folder has checked out. Conflicts change nothing there.",
	{
		params: z.object({ path: z.string(), message: z.string().trim().min(1).max(10_000) }),
		result: z.object({ into: z.string(), commits: z.number() }),
	},
);

export const worktreeDrop = defineMethod(
	"worktree/drop",
	"Removes a worktree in which everything is committed. A branch that is not merged stays, and only `keepBranch` lets its worktree go.",
	{
		params: z.object({ path: z.string(), keepBranch: z.boolean().default(false) }),
		result: z.object({ isBranchKept: z.boolean() }),
	},
);
