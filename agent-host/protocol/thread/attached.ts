import * as z from "zod";

const MAX_SELECTION_CHARS = 200_000;
const MAX_TITLE_CHARS = 400;
const MAX_PATHS = 200;

export const Path = z.string().min(1).max(4_096);
const Line = z.int().min(1);

/** What the user attached to a message besides images: of the editor, or a text of their own choosing. */
export const AttachedInput = z.discriminatedUnion("kind", [
	/** A file to look at; only its path is told, the agent reads it when it needs to. */
	z.object({ kind: z.literal("file"), path: Path }),
	z.object({
		kind: z.literal("selection"),
		path: Path,
		from: Line,
		to: Line,
		text: z.string().max(MAX_SELECTION_CHARS),
	}),
	z.object({
		kind: z.literal("problems"),
		problems: z.array(z.object({ path: Path, line: Line, message: z.string().max(2_000) })).max(MAX_PATHS),
	}),
	/** A text that the user attached and that is not part of a file, such as uncommitted changes or an earlier thread. */
	z.object({
		kind: z.literal("excerpt"),
		title: z.string().min(1).max(MAX_TITLE_CHARS),
		text: z.string().max(MAX_SELECTION_CHARS),
	}),
	/** The state of the editor: what is open, and what of it is not saved. */
	z.object({
		kind: z.literal("editor"),
		activeFile: Path.optional(),
		openFiles: z.array(Path).max(MAX_PATHS).default([]),
		unsavedFiles: z.array(Path).max(MAX_PATHS).default([]),
	}),
]);
export type AttachedInput = z.infer<typeof AttachedInput>;
