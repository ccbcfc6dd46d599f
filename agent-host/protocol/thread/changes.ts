import * as z from "zod";

/** Lines are counted from 1, as they stand in the file before and after. */
const ChangedHunk = z.object({
	from: z.number(),
	to: z.number(),
	removed: z.array(z.string()),
	added: z.array(z.string()),
});

/** SHA-256 of a file's content. */
const Content = z.string().regex(/^[0-9a-f]{64}$/);

/** What became of a file, by the content it had and has; absent where there is no file. */
export const TouchedFile = z.object({ path: z.string(), before: Content.optional(), after: Content.optional() });
export type TouchedFile = z.infer<typeof TouchedFile>;

/** What the user did with a change of the agent's, or said about it; the model is told once. */
export const UserEdit = z.object({
	path: z.string(),
	did: z.enum(["kept", "rejected", "changed", "commented"]),
	/** Lines with - and + before them: of the change, or, where it was changed, from what the agent wrote to what stands now. */
	diff: z.string(),
	comment: z.string().optional(),
});
export type UserEdit = z.infer<typeof UserEdit>;

/** How far a file's changes have been judged. */
export const ReviewMark = z.object({
	path: z.string(),
	/** The thread's touches that this takes in. */
	touches: z.int().min(0),
	/** Nothing of them is open. */
	done: z.boolean(),
	/** As the file would be without what is open, and as it was then. */
	base: Content.optional(),
	seen: Content.optional(),
	/** Ids of open hunks that the user has been in. */
	changed: z.array(z.string()).optional(),
	/** What the file was then, when nobody but the agent and this review had changed it. */
	known: Content.optional(),
});
export type ReviewMark = z.infer<typeof ReviewMark>;

/** What became of one file: counts and hunks, never the whole; contents are named by their SHA-256. */
export const ChangedFile = z.object({
	/** As the patch names it. */
	path: z.string(),
	resolved: z.string(),
	operation: z.enum(["add", "update", "delete", "move"]),
	movedTo: z.object({ path: z.string(), resolved: z.string() }).optional(),
	before: z.string().optional(),
	after: z.string().optional(),
	/** Of a file that an addition or a move replaced. */
	overwritten: z.string().optional(),
	added: z.number(),
	removed: z.number(),
	hunks: z.array(ChangedHunk),
	/** Hunks are missing because there were too many. */
	cut: z.boolean().optional(),
	/** The new text is in the editor only. */
	unsaved: z.boolean().optional(),
});
