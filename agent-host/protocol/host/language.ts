import * as z from "zod";
import { defineMethod } from "../method.ts";

/** Limits of what a client may answer; it cuts, and says how much it left out. */
export const MAX_LOCATIONS = 500;
export const MAX_SYMBOLS = 2_000;
export const MAX_PROBLEMS = 1_000;
export const MAX_EDITED_FILES = 200;
export const MAX_TASKS = 200;
export const MAX_ACTIONS = 50;
export const MAX_HOVER_CHARS = 20_000;
/** Files whose problems are asked for at once. */
export const MAX_CHECKED_FILES = 20;

const Path = z.string().max(4_096);
/** As in the language-server protocol: counted from 0, in UTF-16 units. */
const Position = z.object({ line: z.int().min(0), character: z.int().min(0) });
const Place = z.object({ path: Path, position: Position });
export type Place = z.infer<typeof Place>;

const Location = z.object({
	/** Absolute; the whole address of what is not a file. */
	path: Path,
	line: z.int().min(0),
	/** It is where the symbol is defined. */
	isDefinition: z.boolean().optional(),
});
export type Location = z.infer<typeof Location>;

const Problem = z.object({
	path: Path,
	position: Position,
	severity: z.enum(["error", "warning"]),
	/** What found it, and its code there. */
	source: z.string().max(100).optional(),
	code: z.string().max(100).optional(),
	message: z.string().max(2_000),
});
export type Problem = z.infer<typeof Problem>;

const FoundSymbol = z.object({
	name: z.string().max(500),
	/** Such as `function`. */
	kind: z.string().max(40),
	/** What it is in, by name. */
	container: z.string().max(500).optional(),
	path: Path,
	line: z.int().min(0),
	endLine: z.int().min(0),
	/** How deep it is in an outline. */
	depth: z.int().min(0).max(100),
});
export type LanguageSymbol = z.infer<typeof FoundSymbol>;

const TextEdit = z.object({
	start: Position,
	end: Position,
	/** What is there now. */
	old: z.string(),
	text: z.string(),
});
export type TextEdit = z.infer<typeof TextEdit>;

/** What edits come to; `problem` says why there are none. */
const Edits = z.object({
	files: z.array(z.object({ path: Path, edits: z.array(TextEdit).max(10_000) })).max(MAX_EDITED_FILES),
	problem: z.string().max(2_000).optional(),
});
export type LanguageEdits = z.infer<typeof Edits>;

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const MAX_VARIABLE_CHARS = 10_000;

export const WorkspaceTask = z.object({
	name: z.string().max(500),
	group: z.enum(["build", "test"]).optional(),
	/** A line for a shell, or words to run without one. */
	command: z.union([z.string().max(100_000), z.array(z.string().max(100_000)).min(1).max(1_000)]),
	cwd: Path.optional(),
	/** Variables that it is run with. */
	variables: z.record(z.string().regex(VARIABLE_NAME), z.string().max(MAX_VARIABLE_CHARS)).optional(),
});
export type WorkspaceTask = z.infer<typeof WorkspaceTask>;

export const languageProblems = defineMethod(
	"language/problems",
	"Sent by the host: errors and warnings that the editor knows, of some files or of all. With `since`, it first waits, within limits, until these files were reported on after that mark.",
	{
		params: z.object({ paths: z.array(Path).max(MAX_CHECKED_FILES).optional(), since: z.int().min(0).optional() }),
		result: z.object({
			problems: z.array(Problem).max(MAX_PROBLEMS),
			/** How many more there are. */
			more: z.int().min(0),
			/** Of the files asked for: those that no server has reported on in time, or that the editor had not opened. */
			unchecked: z.array(Path).max(MAX_CHECKED_FILES),
			/** Grows with every report of a server. */
			mark: z.int().min(0),
		}),
	},
);

export const languageLocate = defineMethod(
	"language/locate",
	"Sent by the host: where a symbol is defined, implemented or used, as the language server knows.",
	{
		params: z.object({ of: z.enum(["definition", "typeDefinition", "implementation", "references"]), at: Place }),
		result: z.object({ locations: z.array(Location).max(MAX_LOCATIONS), more: z.int().min(0) }),
	},
);

export const languageOutline = defineMethod("language/outline", "Sent by the host: the symbols of a file, in order.", {
	params: z.object({ path: Path }),
	result: z.object({ symbols: z.array(FoundSymbol).max(MAX_SYMBOLS), more: z.int().min(0) }),
});

export const languageSymbols = defineMethod(
	"language/symbols",
	"Sent by the host: the symbols of the workspace with a name like this. `path` is opened first, since many servers start with a file.",
	{
		params: z.object({ query: z.string().max(200), path: Path.optional() }),
		result: z.object({ symbols: z.array(FoundSymbol).max(MAX_SYMBOLS), more: z.int().min(0) }),
	},
);

export const languageRename = defineMethod(
	"language/rename",
	"Sent by the host: the edits that rename a symbol. The client applies none of them; `problem` says why there are none.",
	{
		params: z.object({ at: Place, newName: z.string().max(500) }),
		result: Edits,
	},
);

export const languageHover = defineMethod(
	"language/hover",
	"Sent by the host: what the editor shows when the pointer is over a symbol, as Markdown.",
	{
		params: z.object({ at: Place }),
		result: z.object({ text: z.string().max(MAX_HOVER_CHARS) }),
	},
);

export const languageActions = defineMethod(
	"language/actions",
	"Sent by the host: the fixes that language servers offer for a line, or for a whole file, and the edits of the one with this title. The client applies none of them and runs no command.",
	{
		params: z.object({ path: Path, line: z.int().min(0).optional(), title: z.string().max(500).optional() }),
		result: Edits.extend({ titles: z.array(z.string().max(500)).max(MAX_ACTIONS) }),
	},
);

export const taskList = defineMethod(
	"task/list",
	"Sent by the host: the workspace's tasks, with the command of each. The client runs none of them.",
	{
		params: z.object({}),
		result: z.object({ tasks: z.array(WorkspaceTask).max(MAX_TASKS) }),
	},
);
