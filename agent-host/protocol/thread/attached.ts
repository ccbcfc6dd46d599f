import * as z from "zod";

/** Longest text that is attached; a longer one belongs in a file. */
export const MAX_ATTACHED_CHARS = 200_000;
export const MAX_TITLE_CHARS = 400;
const MAX_PATHS = 200;

export const Path = z.string().min(1).max(4_096);
const Line = z.int().min(1);

/** What the user attached to a message besides images: editor context, or a text. */
export const AttachedInput = z.discriminatedUnion("kind", [
	/** A file to look at; only its path is sent, and the agent reads it when needed. */
	z.object({ kind: z.literal("file"), path: Path }),
	z.object({
		kind: z.literal("selection"),
		path: Path,
		from: Line,
		to: Line,
		text: z.string().max(MAX_ATTACHED_CHARS),
	}),
	z.object({
		kind: z.literal("problems"),
		problems: z.array(z.object({ path: Path, line: Line, message: z.string().max(2_000) })).max(MAX_PATHS),
	}),
	/** An attached text that is not part of a file, such as uncommitted changes or an earlier thread. */
	z.object({
		kind: z.literal("excerpt"),
		title: z.string().min(1).max(MAX_TITLE_CHARS),
		text: z.string().max(MAX_ATTACHED_CHARS),
		/** The MCP server that wrote it, if one did. */
		server: z.string().max(200).optional(),
	}),
	/** The state of the editor: open files, and which are unsaved. */
	z.object({
		kind: z.literal("editor"),
		activeFile: Path.optional(),
		openFiles: z.array(Path).max(MAX_PATHS).default([]),
		unsavedFiles: z.array(Path).max(MAX_PATHS).default([]),
	}),
]);
export type AttachedInput = z.infer<typeof AttachedInput>;

/** What was attached, by its own names. The state of the editor goes along without being attached. */
export function nameAttached(input: AttachedInput): readonly string[] {
	switch (input.kind) {
		case "file":
			return [input.path];
		case "selection":
			return [`${input.path}:${input.from}–${input.to}`];
		case "problems":
			return input.problems.map(({ path, line }) => `${path}:${line}`);
		case "excerpt":
			return [input.title];
		case "editor":
			return [];
	}
}
