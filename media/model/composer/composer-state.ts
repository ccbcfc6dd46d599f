import { MAX_PROMPT_CHARS } from "../../../agent-host/protocol/limits.ts";
import { countOf, t } from "../../../l10n/t.ts";
import type { ChatSettings } from "../../wire.ts";
import { holdQueued, type Queues, readQueues, withoutQueued } from "./queue-state.ts";

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
	/** Why the last message was refused. */
	readonly problem: string | undefined;
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
	return { key: NEW_THREAD, ...kept, sent: undefined, problem: undefined };
}

/** The thread that is open, if it has begun. */
export function findOpenThread({ key }: ComposerState): string | undefined {
	return key === NEW_THREAD ? undefined : key;
}

export function getDraft({ drafts, key }: ComposerState): string {
	return drafts[key] ?? "";
}

export function typeText(state: ComposerState, text: string): ComposerState {
	return { ...state, drafts: withDraft(state.drafts, state.key, text), problem: undefined };
}

/** Switches to another thread's draft. */
export function switchThread(state: ComposerState, threadId: string | null): ComposerState {
	const key = threadId ?? NEW_THREAD;
	return key === state.key ? state : { ...state, key, problem: undefined };
}

/** Opens a thread that has begun in the empty chat: what was written there goes along, sent or not. */
export function beginThread(state: ComposerState, threadId: string): ComposerState {
	const { sent, drafts } = state;
	const moved = withDraft(withDraft(drafts, threadId, getDraft(state)), NEW_THREAD, "");
	const along = sent?.key === NEW_THREAD ? { ...sent, key: threadId } : sent;
	return { ...state, key: threadId, drafts: moved, sent: along };
}

/** Marks the draft as sent; does nothing if it cannot be sent now. */
export function sendDraft(state: ComposerState, id: string): ComposerState {
	if (!canSend(state)) return state;
	return { ...state, sent: { id, key: state.key, text: getDraft(state), from: "draft" }, problem: undefined };
}

/** Handles the extension's answer. The text is cleared only if it was accepted and not edited since. */
export function takeAnswer(state: ComposerState, id: string, problem: string | undefined): ComposerState {
	const { sent, drafts, queues } = state;
	if (sent?.id !== id) return state;
	if (sent.from === "queue") {
		const left = problem === undefined ? withoutQueued(queues, id) : holdQueued(queues, sent.key, id);
		return { ...state, sent: undefined, problem, queues: left };
	}
	const taken = problem === undefined && drafts[sent.key] === sent.text;
	return { ...state, sent: undefined, problem, drafts: taken ? withDraft(drafts, sent.key, "") : drafts };
}

export function canSend(state: ComposerState): boolean {
	return state.sent === undefined && getDraft(state).trim() !== "" && checkDraft(state) === undefined;
}

/** Whether Enter alone inserts a new line in this draft. */
export function needsCommand(behavior: ChatSettings["enterBehavior"] | undefined, draft: string): boolean {
	return behavior === "cmdAlways" || (behavior === "cmdIfMultiline" && draft.includes("\n"));
}

/** Returns why the draft cannot be sent, and what to do instead. */
export function checkDraft(state: ComposerState): string | undefined {
	return checkLength(getDraft(state));
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

function withDraft(drafts: ComposerState["drafts"], key: string, text: string): ComposerState["drafts"] {
	const others = Object.entries(drafts).filter(([other]) => other !== key);
	const kept = text === "" ? others : [...others, [key, text] as const];
	return Object.fromEntries(kept.slice(-MAX_DRAFTS));
}

function readDrafts(saved: unknown): ComposerState["drafts"] {
	if (typeof saved !== "object" || saved === null || !("drafts" in saved)) return {};
	const entries = Object.entries(saved.drafts ?? {});
	return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
