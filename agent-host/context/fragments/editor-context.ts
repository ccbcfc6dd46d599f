import type { EditorState } from "../../envelope/envelope.ts";
import { oneLine } from "../../permissions/words/one-line.ts";
import { defineFragment } from "../fragment.ts";

type Standing = "activeFile" | "openFiles" | "unsavedFiles" | "problems";

const LABELS: Readonly<Record<Standing, string>> = {
	activeFile: "Active file",
	openFiles: "Open files",
	unsavedFiles: "Unsaved (commands see the old text)",
	problems: "Problems",
};

/** What the user has open, selected, unsaved and marked as a problem, and what they chose besides. */
export const editorContext = defineFragment<{
	readonly editor: Partial<EditorState>;
	/** What was attached before and is not any more. */
	readonly gone: readonly Standing[];
	readonly changed: boolean;
}>({
	kind: "editor-context",
	role: "user",
	tag: "editor_context",
	origin: "workspace",
	maxChars: 60_000,
	about: "Active file, selection, open and unsaved files, problems, and files and texts the user attached to a turn.",
	summary: ({ editor, gone }) =>
		`editor: ${describe(editor) || `without ${gone.map((field) => WORDS[field]).join(", ")}`}`,
	body: ({ editor, gone, changed }) =>
		[
			changed ? "Changed in the editor; everything else is as stated before." : undefined,
			...gone.map((field) => `${LABELS[field]}: no longer attached.`),
			editor.activeFile === undefined ? undefined : `${LABELS.activeFile}: ${oneLine(editor.activeFile)}`,
			list(LABELS.openFiles, editor.openFiles),
			list(LABELS.unsavedFiles, editor.unsavedFiles),
			list(
				LABELS.problems,
				editor.problems?.map(({ path, line, message }) => `${path}:${line}: ${message}`),
			),
			list("Mentioned by the user", editor.files),
			...(editor.excerpts ?? []).map(({ title, text }) => `Attached, ${oneLine(title)}:\n${text}`),
			editor.selection === undefined
				? undefined
				: `Selected, ${oneLine(editor.selection.path)} lines ${editor.selection.from} to ${editor.selection.to}:\n${editor.selection.text}`,
		]
			.filter((line) => line !== undefined)
			.join("\n"),
});

const WORDS: Readonly<Record<Standing, string>> = {
	activeFile: "active file",
	openFiles: "open files",
	unsavedFiles: "unsaved files",
	problems: "problems",
};

function list(label: string, entries: readonly string[] | undefined): string | undefined {
	if (entries === undefined || entries.length === 0) return undefined;
	return `${label}:\n${entries.map((entry) => `- ${oneLine(entry)}`).join("\n")}`;
}

/** The transcript's line: names where there are few, numbers where there may be many. */
function describe(editor: Partial<EditorState>): string {
	const { selection, activeFile, openFiles, unsavedFiles, problems, files, excerpts } = editor;
	return [
		selection === undefined ? [] : [`${nameOf(selection.path)} ${linesOf(selection)}`],
		activeFile === undefined ? [] : [nameOf(activeFile)],
		namesOf(files?.map(nameOf), "file"),
		namesOf(
			excerpts?.map(({ title }) => title),
			"text",
		),
		countOf(openFiles, "open file"),
		countOf(unsavedFiles, "unsaved file"),
		countOf(problems, "problem"),
	]
		.flat()
		.join(", ");
}

function linesOf({ from, to }: { readonly from: number; readonly to: number }): string {
	return from === to ? `line ${from}` : `lines ${from} to ${to}`;
}

const MAX_NAMES = 3;

function namesOf(names: readonly string[] | undefined, word: string): readonly string[] {
	return names !== undefined && names.length <= MAX_NAMES ? names : countOf(names, word);
}

function countOf(entries: readonly unknown[] | undefined, word: string): readonly string[] {
	if (entries === undefined || entries.length === 0) return [];
	return [entries.length === 1 ? `1 ${word}` : `${entries.length} ${word}s`];
}

function nameOf(path: string): string {
	return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}
