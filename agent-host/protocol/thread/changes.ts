import * as z from "zod";

/** Line numbers are 1-based, in the file before and after. */
const ChangedHunk = z.object({
	from: z.number(),
	to: z.number(),
	removed: z.array(z.string()),
	added: z.array(z.string()),
});

/** SHA-256 of a file's content; for a link, `link-` and that of what it leads to. */
const Content = z.string().regex(/^(?:link-)?[0-9a-f]{64}$/);

/** A file's content before and after; absent if there is neither a file nor a link. */
export const TouchedFile = z.object({
	path: z.string(),
	before: Content.optional(),
	after: Content.optional(),
	/** Permission bits of a file that is none any more, for when it comes back. */
	mode: z.int().min(0).max(0o777).optional(),
});
export type TouchedFile = z.infer<typeof TouchedFile>;

/** What the user did with an agent's change, or said about it; the model is told once. */
export const UserEdit = z.object({
	path: z.string(),
	did: z.enum(["kept", "rejected", "changed", "commented"]),
	/**
	 * Lines with - and +: the change itself or, if the user edited it, the difference between the agent's text and the
	 * current one.
	 */
	diff: z.string(),
	comment: z.string().optional(),
	/** The hunk of a comment. A later comment on it replaces this one; an empty one removes it. */
	hunk: z.string().optional(),
});
export type UserEdit = z.infer<typeof UserEdit>;

/** How far a file's changes have been reviewed. */
export const ReviewMark = z.object({
	path: z.string(),
	/** Number of the thread's touches that this covers. */
	touches: z.int().min(0),
	/** No change is pending. */
	done: z.boolean(),
	/** The file without the pending changes, and as it was then. */
	base: Content.optional(),
	seen: Content.optional(),
	/** Ids of pending hunks that the user has edited. */
	changed: z.array(z.string()).optional(),
	/** The file's content then, if only the agent and this review had changed it. */
	known: Content.optional(),
});
export type ReviewMark = z.infer<typeof ReviewMark>;

/** The change of one file: counts and hunks, never the whole; contents are referred to by SHA-256. */
export const ChangedFile = z.object({
	/** As written in the patch. */
	path: z.string(),
	resolved: z.string(),
	operation: z.enum(["add", "update", "delete", "move"]),
	movedTo: z.object({ path: z.string(), resolved: z.string() }).optional(),
	before: z.string().optional(),
	after: z.string().optional(),
	/** Hash of a file that an addition or a move replaced. */
	overwritten: z.string().optional(),
	added: z.number(),
	removed: z.number(),
	hunks: z.array(ChangedHunk),
	/** Some hunks are missing because there were too many. */
	cut: z.boolean().optional(),
	/** The new text is only in the editor. */
	unsaved: z.boolean().optional(),
});
