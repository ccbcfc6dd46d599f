import { historyTokens } from "../../compaction/measure.ts";
import type { EditorState, TurnEnvelope } from "../../envelope/envelope.ts";
import type { UserImage } from "../../history/history-item.ts";
import { projectHistory } from "../../history/normalize.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { oneLine } from "../../permissions/words/one-line.ts";
import { HostError } from "../../protocol/errors.ts";
import { MAX_PROMPT_CHARS } from "../../protocol/limits.ts";
import { say } from "../../protocol/say.ts";
import { AttachedInput } from "../../protocol/thread/attached.ts";
import type { UserInput } from "../../protocol/thread/turn.ts";
import { toImageFacts } from "./load-images.ts";

type Selection = Extract<UserInput, { kind: "selection" }>;
type SkillInput = Extract<UserInput, { kind: "skill" }>;
type Excerpt = EditorState["excerpts"][number];

/** The prompt of a turn as one text. */
export function readPrompt(input: readonly UserInput[]): string {
	const text = input.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
	// A skill can be all that the user asks for.
	const prompt = text.trim() === "" ? listSkills(input).map(nameSkill).join("\n") : text;
	if (prompt.trim() === "") {
		const missing = input.some((part) => part.kind === "image") ? say("image-without-prompt") : say("prompt-empty");
		throw new HostError("input-refused", missing);
	}
	if (prompt.length > MAX_PROMPT_CHARS) {
		throw new HostError("input-refused", say("prompt-too-long", { length: prompt.length, most: MAX_PROMPT_CHARS }));
	}
	return prompt;
}

/** The skills that are part of the input. */
export function listSkills(input: readonly UserInput[]): readonly SkillInput[] {
	return input.filter((part) => part.kind === "skill");
}

function nameSkill({ name, arguments: given = "" }: SkillInput): string {
	return given === "" ? `$${name}` : `$${name} ${given}`;
}

/** Tokens that a prompt and its images add to the next request; the substitute for an image may be a few words. */
export function promptTokens(prompt: string, images: readonly UserImage[], { identity }: TurnEnvelope): number {
	const sight = identity.abilities.images ? "images" : "text";
	return estimateTokens(prompt) + historyTokens(projectHistory(images, sight));
}

/** What the transcript keeps of the attachments of a prompt. */
export function listAttachments(input: readonly UserInput[], images: readonly UserImage[]) {
	const attached = input.flatMap((part) => AttachedInput.safeParse(part).data ?? []);
	return {
		...(images.length === 0 ? {} : { images: images.map(toImageFacts) }),
		...(attached.length === 0 ? {} : { attached }),
	};
}

/** The attached editor context as one value; undefined if nothing is attached. */
export function readEditorState(input: readonly UserInput[]): EditorState | undefined {
	if (input.every((part) => ["text", "image", "skill"].includes(part.kind))) return undefined;
	const states = input.filter((part) => part.kind === "editor");
	const activeFile = states.findLast((part) => part.activeFile !== undefined)?.activeFile;
	const selections = input.filter((part) => part.kind === "selection");
	const selection = selections.at(-1);
	return {
		...(activeFile === undefined ? {} : { activeFile }),
		...(selection === undefined ? {} : { selection: withoutKind(selection) }),
		openFiles: [...new Set(states.flatMap((part) => part.openFiles))],
		unsavedFiles: [...new Set(states.flatMap((part) => part.unsavedFiles))],
		problems: input.flatMap((part) => (part.kind === "problems" ? part.problems : [])),
		files: [...new Set(input.flatMap((part) => (part.kind === "file" ? [part.path] : [])))],
		excerpts: [...selections.slice(0, -1).map(asExcerpt), ...input.flatMap(toExcerpts)],
	};
}

/**
 * The files and texts attached to a steering message. What the model was told about the editor stays valid until the
 * next turn, so the current editor state is one of those texts.
 */
export function listChosen(input: readonly UserInput[]): Pick<EditorState, "files" | "excerpts"> | undefined {
	const editor = readEditorState(input);
	if (editor === undefined) return undefined;
	const { activeFile, openFiles, unsavedFiles, selection, problems, files, excerpts } = editor;
	const open = [
		...(activeFile === undefined ? [] : [`Active file: ${activeFile}`]),
		...openFiles.map((path) => `Open: ${path}`),
		...unsavedFiles.map((path) => `Unsaved: ${path}`),
	];
	return {
		files,
		excerpts: [
			...excerpts,
			...(selection === undefined ? [] : [asExcerpt(selection)]),
			...listed(
				"problems",
				problems.map(({ path, line, message }) => `${path}:${line}: ${message}`),
			),
			...listed("the editor at the time of sending", open),
		],
	};
}

function listed(title: string, lines: readonly string[]): readonly Excerpt[] {
	return lines.length === 0 ? [] : [{ title, text: lines.map(oneLine).join("\n") }];
}

/** Only one selection is the editor's; further ones become attached texts. */
function asExcerpt({ path, from, to, text }: Omit<Selection, "kind">): Excerpt {
	return { title: `${path} lines ${from} to ${to}`, text };
}

function toExcerpts(part: UserInput): readonly Excerpt[] {
	if (part.kind !== "excerpt") return [];
	const { title, text, server } = part;
	return [{ title, text, ...(server !== undefined && { server }) }];
}

function withoutKind({ path, from, to, text }: Selection) {
	return { path, from, to, text };
}
