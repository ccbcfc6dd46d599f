import * as z from "zod";

/** Lines are counted from 1, as they stand in the file before and after. */
const ChangedHunk = z.object({
	from: z.number(),
	to: z.number(),
	removed: z.array(z.string()),
	added: z.array(z.string()),
});

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
