import { defineFragment } from "../fragment.ts";

/** Asks the model for the object that a compaction is made of. Sent once, never recorded. */
export const compactionRequest = defineFragment<{
	readonly prompt: string;
	/** What the user wants the summary to care about most. */
	readonly focus: string | undefined;
	/** What was wrong with the answer before. */
	readonly complaint: string | undefined;
}>({
	kind: "compaction-request",
	role: "user",
	tag: "compaction_request",
	origin: "host",
	maxChars: 120_000,
	about: "That the conversation is to be written down as one JSON object; never part of the history.",
	summary: () => "compaction",
	body: ({ prompt, focus, complaint }) =>
		[
			prompt,
			...(focus === undefined ? [] : [`The user asks that the summary care most about this:\n${focus}`]),
			...(complaint === undefined
				? []
				: [`Your answer before this one was refused: ${complaint} Answer again, whole.`]),
		].join("\n\n"),
});

/** The user's request in their own words, carried over a compaction. */
export const compactedIntent = defineFragment<{ readonly text: string }>({
	kind: "compacted-intent",
	role: "user",
	tag: "compacted_intent",
	origin: "user",
	maxChars: 400_000,
	about: "The active request and recent messages of the user, word for word, after a compaction.",
	summary: () => "the request, word for word",
	body: ({ text }) => text,
});

/** How to read what stands around it after a compaction. */
export const historyBridge = defineFragment<{
	readonly turns: number;
	readonly how: "summarised" | "sealed" | "trimmed";
}>({
	kind: "history-bridge",
	role: "user",
	tag: "history_bridge",
	origin: "host",
	maxChars: 2_000,
	about: "That earlier turns were replaced by a summary, or lost their older tool results.",
	summary: ({ turns, how }) => `${count(turns)} ${how}`,
	body: ({ turns, how }) => `${BRIDGES[how](turns)} Dropped turns can be read again with the recall tool.`,
});

const BRIDGES = {
	summarised: (turns: number) =>
		`The conversation so far (${count(turns)}) was replaced by what stands around this block, to make room in the window. The user's words above are exact, the newest last. The summary below was written by a model: trust files and tools over it.`,
	sealed: (turns: number) =>
		`The conversation so far (${count(turns)}) was replaced, to make room in the window. The user's words above are exact, the newest last. What the model's server keeps of the rest follows in a form that only this server can read; trust files and tools over it.`,
	trimmed: (turns: number) =>
		`Of the conversation so far (${count(turns)}) the oldest tool results and texts were left out, to make room in the window. What still stands is exact; do not repeat work only because its result is gone.`,
};

function count(turns: number): string {
	return turns === 1 ? "1 turn" : `${turns} turns`;
}

/** What was done so far, and the next action. */
export const compactedContext = defineFragment<{ readonly text: string }>({
	kind: "compacted-context",
	role: "user",
	tag: "compacted_context",
	origin: "tool",
	maxChars: 100_000,
	about: "The summary of earlier turns; its last line says where to go on.",
	summary: () => "summary",
	body: ({ text }) => text,
});
