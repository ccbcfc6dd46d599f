import type { EditorState } from "../../envelope/envelope.ts";
import { defineFragment } from "../fragment.ts";

/** What the user has open, selected, unsaved and marked as a problem. */
export const editorContext = defineFragment<{ readonly editor: Partial<EditorState>; readonly changed: boolean }>({
	kind: "editor-context",
	role: "user",
	tag: "editor_context",
	origin: "workspace",
	maxChars: 60_000,
	about: "Active file, selection, open and unsaved files, problems, as attached to a turn.",
	summary: ({ editor }) => `editor: ${describe(editor)}`,
	body: ({ editor, changed }) =>
		[
			changed ? "This changed in the editor; all else is as stated before." : undefined,
			editor.activeFile === undefined ? undefined : `Active file: ${editor.activeFile}`,
			list("Open files", editor.openFiles),
			list("Not saved yet (commands see the old text)", editor.unsavedFiles),
			list(
				"Problems",
				editor.problems?.map(({ path, line, message }) => `${path}:${line}: ${message}`),
			),
			editor.selection === undefined
				? undefined
				: `Selected, ${editor.selection.path} lines ${editor.selection.from} to ${editor.selection.to}:\n${editor.selection.text}`,
		]
			.filter((line) => line !== undefined)
			.join("\n"),
});

function list(label: string, entries: readonly string[] | undefined): string | undefined {
	if (entries === undefined) return undefined;
	return entries.length === 0 ? undefined : `${label}:\n${entries.map((entry) => `- ${entry}`).join("\n")}`;
}

function describe(editor: Partial<EditorState>): string {
	return [
		editor.selection === undefined ? undefined : "selection",
		editor.openFiles === undefined || editor.openFiles.length === 0 ? undefined : `${editor.openFiles.length} files`,
		editor.problems === undefined || editor.problems.length === 0 ? undefined : `${editor.problems.length} problems`,
		editor.activeFile,
	]
		.filter((part) => part !== undefined)
		.join(", ");
}
