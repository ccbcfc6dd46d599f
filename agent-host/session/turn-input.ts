import type { EditorState } from "../envelope/envelope.ts";
import { HostError } from "../protocol/errors.ts";
import { MAX_INPUT_CHARS, type UserInput } from "../protocol/turn.ts";

/** The prompt of a turn, as one text. */
export function promptOf(input: readonly UserInput[]): string {
	const prompt = input.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
	if (prompt.trim() === "") throw new HostError("input-refused", "The prompt is empty. Type a question or a task.");
	if (prompt.length > MAX_INPUT_CHARS) {
		throw new HostError(
			"input-refused",
			`The prompt has ${prompt.length} characters; the limit is ${MAX_INPUT_CHARS}. Put the text in a file and ask about it.`,
		);
	}
	return prompt;
}

/** What the user attached of the editor, as one value; undefined when nothing is attached. */
export function editorStateOf(input: readonly UserInput[]): EditorState | undefined {
	if (input.every((part) => part.kind === "text")) return undefined;
	const state = input.findLast((part) => part.kind === "editor");
	const selection = input.findLast((part) => part.kind === "selection");
	const files = input.flatMap((part) => (part.kind === "file" ? [part.path] : []));
	return {
		...(state?.activeFile === undefined ? {} : { activeFile: state.activeFile }),
		...(selection === undefined ? {} : { selection: withoutKind(selection) }),
		openFiles: [...new Set([...files, ...(state?.openFiles ?? [])])],
		unsavedFiles: state?.unsavedFiles ?? [],
		problems: input.flatMap((part) => (part.kind === "problems" ? part.problems : [])),
	};
}

function withoutKind({ path, from, to, text }: Extract<UserInput, { kind: "selection" }>) {
	return { path, from, to, text };
}
