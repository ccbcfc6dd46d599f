import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { HostError } from "../../protocol/errors.ts";
import { quote } from "../../protocol/say.ts";
import { type AttachedInput, MAX_ATTACHED_CHARS, MAX_TITLE_CHARS } from "../../protocol/thread/attached.ts";
import type { UserInput } from "../../protocol/thread/turn.ts";

/** A prompt of an editor: its text, and what is attached to it. */
export function toUserInput(blocks: readonly ContentBlock[]): readonly UserInput[] {
	const text = writeText(blocks);
	return [...(text === "" ? [] : [{ kind: "text" as const, text }]), ...blocks.flatMap(toAttached)];
}

interface Piece {
	readonly text: string;
	readonly isMention: boolean;
}

/** The user's words with every mention in its place: a sentence without them says something else. */
function writeText(blocks: readonly ContentBlock[]): string {
	const pieces = blocks.flatMap((block): readonly Piece[] => {
		if (block.type === "text") return block.text === "" ? [] : [{ text: block.text, isMention: false }];
		const mention = readMention(block);
		return mention === undefined ? [] : [{ text: mention.name, isMention: true }];
	});
	if (pieces.every(({ isMention }) => isMention)) return "";
	return pieces.map((piece, index) => joint(pieces[index - 1], piece) + piece.text).join("");
}

const BEFORE_MENTION = /[\s([{"'`]$/;
const AFTER_MENTION = /^[\s)\]}"'`.,;:!?]/;

/** What comes between two pieces: nothing if the user wrote them as one sentence, otherwise the end of a line. */
function joint(before: Piece | undefined, after: Piece): string {
	if (before === undefined) return "";
	if (before.isMention === after.isMention) return "\n";
	const isSentence = after.isMention ? BEFORE_MENTION.test(before.text) : AFTER_MENTION.test(after.text);
	return isSentence ? "" : "\n";
}

function toAttached(block: ContentBlock): readonly UserInput[] {
	if (block.type === "image") return [{ kind: "image", data: block.data }];
	const mention = readMention(block);
	return mention === undefined ? [] : [mention.attached];
}

interface Mention {
	readonly attached: AttachedInput;
	/** In the user's sentence, with the lines that are meant. */
	readonly name: string;
}

/** A file or a text that the user named in the prompt. */
function readMention(block: ContentBlock): Mention | undefined {
	if (block.type === "resource_link") {
		const place = toPlace(block.uri);
		// Nothing is fetched: the agent gets the address as text.
		return place === undefined ? excerptOf(block.name || block.uri, block.uri) : fileOf(place);
	}
	if (block.type === "audio") throw new HostError("input-refused", quote("Audio cannot be attached."));
	if (block.type !== "resource") return undefined;
	const { uri } = block.resource;
	const place = toPlace(uri);
	const text = "text" in block.resource ? block.resource.text : undefined;
	if (text !== undefined && text.length <= MAX_ATTACHED_CHARS) return excerptOf(place?.name ?? uri, text);
	// The agent reads the file itself, in pieces or with the tool that knows its format.
	if (place !== undefined) return fileOf(place);
	const reason = text === undefined ? "is not text" : `is longer than ${MAX_ATTACHED_CHARS} characters`;
	throw new HostError("input-refused", quote(`${uri} ${reason}. Attach it as a file.`));
}

function excerptOf(whole: string, text: string): Mention {
	const name = whole.length <= MAX_TITLE_CHARS ? whole : `${whole.slice(0, MAX_TITLE_CHARS - 1)}…`;
	return { attached: { kind: "excerpt", title: name, text }, name };
}

function fileOf({ path, name }: Place): Mention {
	return { attached: { kind: "file", path }, name };
}

interface Place {
	readonly path: string;
	/** With the lines, if the address names some. */
	readonly name: string;
}

function toPlace(uri: string): Place | undefined {
	try {
		if (!uri.startsWith("file:")) return undefined;
		const path = fileURLToPath(uri);
		return { path, name: path + readLines(new URL(uri)) };
	} catch {
		return undefined;
	}
}

/** As editors write them: `#L10`, `#L10-20`, `#L10:20`, `#L10-L20`, with or without columns, and `?lines=10-20`. */
const LINES = /^L?(\d{1,9})(?:[C,]\d+)?(?:[-:]L?(\d{1,9})(?:[C,]\d+)?)?$/;

/** As a selection of the editor is named. */
function readLines({ hash, searchParams }: URL): string {
	const [, from, to = from] = LINES.exec(searchParams.get("lines") ?? hash.slice(1)) ?? [];
	if (from === undefined) return "";
	return from === to ? `:${from}` : `:${from}–${to}`;
}

/** What `/compact` in a prompt asks for; undefined for any other prompt. */
export function readCompactCommand(input: readonly UserInput[]): { readonly focus?: string } | undefined {
	const [first, second] = input;
	const match =
		first?.kind === "text" && second === undefined ? /^\/compact(?:\s+([\s\S]+))?$/.exec(first.text.trim()) : null;
	if (match === null) return undefined;
	return match[1] === undefined ? {} : { focus: match[1] };
}

const UNCOMMITTED = "Review the uncommitted changes of this repository.";

/** A prompt that begins with `/review` without it, for a turn that can only read; undefined for any other prompt. */
export function readReviewCommand(input: readonly UserInput[]): readonly UserInput[] | undefined {
	const [first, ...rest] = input;
	const match = first?.kind === "text" ? /^\/review(?:\s+([\s\S]+))?$/.exec(first.text.trim()) : null;
	return match === null ? undefined : [{ kind: "text", text: match[1] ?? UNCOMMITTED }, ...rest];
}
