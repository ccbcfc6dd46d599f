import { MAX_PROMPT_CHARS } from "../../../agent-host/protocol/limits.ts";
import { countOf, t } from "../../../l10n/t.ts";
import type { ChatSettings } from "../../wire.ts";
import { holdQueued, type Queues, readQueues, withoutQueued } from "./queue-state.ts";
import { readShellCommand } from "./slash.ts";

/** Drafts kept for other threads; the oldest is dropped first. */
export const MAX_DRAFTS = 20;
const NEW_THREAD = "new";

export interface ComposerState {
	/** Id of the open thread, or `new`. */
	readonly key: string;
	/** Unsent text by thread. Survives a reload. */
	readonly drafts: Readonly<Record<string, string>>;
	/** Queued messages by thread. Survives a reload. */
	readonly queues: Queues;
	/** The message that was posted to the extension and not answered yet. */
	readonly sent: Sent | undefined;
	/** The message that was on its way when the page was reloaded; its answer never arrives. */
	readonly unanswered: Sent | undefined;
	/** Why the last message of a thread was refused, by thread. */
	readonly problems: Readonly<Record<string, string>>;
}

export interface Sent {
	readonly id: string;
	readonly key: string;
	readonly text: string;
	/** Where the text stays until it is accepted. */
	readonly from: "draft" | "queue";
}

export function openComposer(saved: unknown): ComposerState {
	const kept = { drafts: readDrafts(saved), queues: readQueues(saved) };
	return { key: NEW_THREAD, ...kept, sent: undefined, unanswered: readSent(saved), problems: {} };
}

/** The thread that is open, or that a message belongs to, if it has begun. */
export function findOpenThread({ key }: Pick<ComposerState, "key">): string | undefined {
	return key === NEW_THREAD ? undefined : key;
}

export function getDraft({ drafts, key }: ComposerState): string {
	return drafts[key] ?? "";
}

export function typeText(state: ComposerState, text: string): ComposerState {
	const { key, drafts, problems } = state;
	return { ...state, drafts: withText(drafts, key, text), problems: withText(problems, key, "") };
}

/** Shows in the open thread why something was refused. */
export function refuse(state: ComposerState, problem: string): ComposerState {
	return { ...state, problems: withText(state.problems, state.key, problem) };
}

/** Switches to another thread's draft. */
export function switchThread(state: ComposerState, threadId: string | null): ComposerState {
	const key = threadId ?? NEW_THREAD;
	return key === state.key ? state : { ...state, key };
}

/** Opens a thread that has begun in the empty chat: what was written there goes along, sent or not. */
export function beginThread(state: ComposerState, threadId: string): ComposerState {
	const { sent, drafts, problems } = state;
	const move = (texts: ComposerState["drafts"]) =>
		withText(withText(texts, threadId, texts[NEW_THREAD] ?? ""), NEW_THREAD, "");
	const along = sent?.key === NEW_THREAD ? { ...sent, key: threadId } : sent;
	return { ...state, key: threadId, drafts: move(drafts), problems: move(problems), sent: along };
}

/** Marks the draft as sent; does nothing if it cannot be sent now. */
export function sendDraft(state: ComposerState, id: string): ComposerState {
	if (!canSend(state)) return state;
	return markSent(state, { id, key: state.key, text: getDraft(state), from: "draft" });
}

/** Marks a message as sent, for the first time or again. */
export function markSent(state: ComposerState, sent: Sent): ComposerState {
	return { ...state, sent, problems: withText(state.problems, sent.key, "") };
}

/** Handles the extension's answer. The text is cleared only if it was accepted and not edited since. */
export function takeAnswer(state: ComposerState, id: string, problem: string | undefined): ComposerState {
	const { sent, drafts, queues } = state;
	if (sent?.id !== id) return state;
	const answered = { ...state, sent: undefined, problems: withText(state.problems, sent.key, problem ?? "") };
	if (sent.from === "queue") {
		const left = problem === undefined ? withoutQueued(queues, id) : holdQueued(queues, sent.key, id);
		return { ...answered, queues: left };
	}
	const taken = problem === undefined && drafts[sent.key] === sent.text;
	return { ...answered, drafts: taken ? withText(drafts, sent.key, "") : drafts };
}

/** The thread has this message: if its answer was lost, the draft goes now, unless it was edited. */
export function noteArrived(state: ComposerState, id: string): ComposerState {
	const { unanswered, drafts, problems } = state;
	if (unanswered?.id !== id) return state;
	const { key, text } = unanswered;
	const answered = { ...state, unanswered: undefined };
	if (drafts[key] !== text) return answered;
	// A shell command takes nothing along: what was attached is still there, or missed.
	const left = readShellCommand(text) === undefined ? withText(problems, key, "") : problems;
	return { ...answered, drafts: withText(drafts, key, ""), problems: left };
}

export function canSend(state: ComposerState): boolean {
	const draft = getDraft(state);
	return state.sent === undefined && draft.trim() !== "" && checkLength(draft) === undefined;
}

/** Whether Enter alone inserts a new line in this draft. */
export function needsCommand(behavior: ChatSettings["enterBehavior"] | undefined, draft: string): boolean {
	return behavior === "cmdAlways" || (behavior === "cmdIfMultiline" && draft.includes("\n"));
}

/** Why the draft cannot be sent, or the last message was refused, and what to do instead. */
export function getProblem(state: ComposerState): string | undefined {
	return checkLength(getDraft(state)) ?? state.problems[state.key];
}

/** Returns why a prompt is too long to be sent. */
export function checkLength({ length }: string): string | undefined {
	if (length <= MAX_PROMPT_CHARS) return undefined;
	return t(
		"Too long to send: {0} (limit {1}). Save it as a file in the workspace and ask about that file.",
		countOf(length, "{0} character", "{0} characters"),
		countOf(MAX_PROMPT_CHARS, "{0} character", "{0} characters"),
	);
}

function withText(texts: ComposerState["drafts"], key: string, text: string): ComposerState["drafts"] {
	if (text === "" && !Object.hasOwn(texts, key)) return texts;
	const others = Object.entries(texts).filter(([other]) => other !== key);
	const kept = text === "" ? others : [...others, [key, text] as const];
	return Object.fromEntries(kept.slice(-MAX_DRAFTS));
}

function readDrafts(saved: unknown): ComposerState["drafts"] {
	if (typeof saved !== "object" || saved === null || !("drafts" in saved)) return {};
	const entries = Object.entries(saved.drafts ?? {});
	return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function readSent(saved: unknown): Sent | undefined {
	const { id, key, text, from } = Object(Object(saved).sent) as Partial<Sent>;
	const isDraft = from === "draft" && [id, key, text].every((one) => typeof one === "string");
	return isDraft ? ({ id, key, text, from } as Sent) : undefined;
}
