import * as z from "zod";
import { ThreadId, TurnId } from "../ids.ts";
import { defineMethod } from "../method.ts";

const MAX_NAMED = 10_000;
const MAX_COMMENT_CHARS = 4_000;
const Path = z.string().min(1).max(4_096);

export const ReviewedHunk = z.object({
	/** Identifies the file and exactly these lines. */
	id: z.string(),
	/** `changed`: the user has edited it since the agent wrote it. */
	state: z.enum(["pending", "changed"]),
	/** 1-based number of its first line in the current file. */
	line: z.int().min(1),
	removed: z.array(z.string()),
	added: z.array(z.string()),
	/** The user's comment on it, until the model is told. */
	comment: z.string().optional(),
});
export type ReviewedHunk = z.infer<typeof ReviewedHunk>;

/** A file with pending changes of the agent. */
export const ReviewedFile = z.object({
	path: z.string(),
	operation: z.enum(["add", "update", "delete"]),
	/** The turns that touched it. */
	turnIds: z.array(TurnId),
	hunks: z.array(ReviewedHunk),
	/** It runs, or decides what runs, with the user's build or tests. */
	runsWithBuild: z.boolean(),
	/** Why its changes can only be viewed, or not even that. */
	stale: z.string().optional(),
});
export type ReviewedFile = z.infer<typeof ReviewedFile>;

const Chosen = z.object({
	threadId: ThreadId,
	/** Hunk ids; absent means all of the file or, without a file, all pending hunks. */
	hunks: z.array(z.string().max(64)).max(MAX_NAMED).optional(),
	path: Path.optional(),
});

const Judged = z.object({
	done: z.int().min(0),
	/**
	 * What was left unchanged: a hunk that has changed since it was shown, or a file that could not be written; one
	 * sentence each.
	 */
	left: z.array(z.string()),
});

export const reviewList = defineMethod(
	"review/list",
	"The pending changes of a thread, and the current files, including unsaved text.",
	{ params: z.object({ threadId: ThreadId }), result: z.object({ files: z.array(ReviewedFile) }) },
);

export const reviewBase = defineMethod(
	"review/base",
	"A file without its pending changes; no text if the file would not exist.",
	{
		params: z.object({ threadId: ThreadId, path: Path }),
		result: z.object({ text: z.string().optional() }),
	},
);

export const reviewKeep = defineMethod("review/keep", "Keeps the changes; they are no longer pending.", {
	params: Chosen,
	result: Judged,
});

export const reviewReject = defineMethod(
	"review/reject",
	"Rejects changes, in the editor if the file has unsaved changes there, otherwise on disk, and leaves everything else. Without hunks, those that the user has edited are kept.",
	{ params: Chosen, result: Judged },
);

export const reviewComment = defineMethod(
	"review/comment",
	"Comments on a change. The comment is sent to the model with the next turn; until then another text replaces it, and an empty one removes it.",
	{
		params: z.object({
			threadId: ThreadId,
			hunk: z.string().max(64),
			text: z.string().trim().max(MAX_COMMENT_CHARS),
		}),
		result: z.object({}),
	},
);

export const RestoredFile = z.object({
	path: z.string(),
	/**
	 * `restored`, or with `preview` would be; `conflict`: changed by someone else since, not touched; `left`: cannot be
	 * restored, and why.
	 */
	state: z.enum(["restored", "conflict", "left"]),
	becomes: z.enum(["changed", "deleted", "created"]),
	reason: z.string().optional(),
});

const Restored = z.object({
	files: z.array(RestoredFile),
	/** Turns removed from the conversation or, with `preview`, that would be. */
	turns: z.int().min(0),
	/** Turns that an undo brought back or, with `preview`, would. */
	returned: z.int().min(0),
	/** Files whose restored text is only in the editor. */
	unsaved: z.array(z.string()),
	/** Sub-agents of these turns whose changes of files stay: their threads are gone, or held by another window. */
	agents: z.array(z.string()),
});

/** Files to restore although someone else changed them since. */
const overwrite = z.array(Path).max(MAX_NAMED).default([]);

export const threadRestore = defineMethod(
	"thread/restore",
	"Restores files, the conversation or both to before a turn was sent. Files that its sub-agents changed since are restored, too. All files or none; files changed since by somebody else are skipped unless listed. With `preview`, nothing changes.",
	{
		params: z.object({
			threadId: ThreadId,
			turnId: TurnId,
			what: z.enum(["files", "conversation", "both"]),
			preview: z.boolean().default(false),
			overwrite,
		}),
		result: Restored,
	},
);

export const threadRestoreRedo = defineMethod(
	"thread/restore/redo",
	"Undoes the last restore or rollback, of files, the conversation or both. Turns that were sent since then are removed; undoing again restores them.",
	{ params: z.object({ threadId: ThreadId, preview: z.boolean().default(false), overwrite }), result: Restored },
);
