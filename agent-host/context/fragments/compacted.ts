import { defineFragment } from "../fragment.ts";

/** Asks the model for the JSON object of a compaction. Sent once, never recorded. */
export const compactionRequest = defineFragment<{
	readonly prompt: string;
	/** What the summary should focus on. */
	readonly focus: string | undefined;
	/** What was wrong with the previous answer. */
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
			...(focus === undefined ? [] : [`The user asks that the summary focus on this:\n${focus}`]),
			...(complaint === undefined
				? []
				: [`Your previous answer was rejected: ${complaint} Send the complete answer again.`]),
		].join("\n\n"),
});

/** The user's request in their own words, carried over a compaction. */
export const compactedIntent = defineFragment<{ readonly text: string }>({
	kind: "compacted-intent",
	role: "user",
	tag: "compacted_intent",
	origin: "user",
	maxChars: 400_000,
	about: "The active request and the user's recent messages, verbatim, after a compaction.",
	summary: () => "the request, verbatim",
	body: ({ text }) => text,
});

/** Explains how to read the entries around it after a compaction. */
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
	body: ({ turns, how }) => `${BRIDGES[how](turns)} Use the recall tool to read dropped turns.`,
});

const BRIDGES = {
	summarised: (turns: number) =>
		`The conversation so far (${count(turns)}) was compacted to free context. The user's messages above are verbatim, the newest last. The summary below was written by a model: trust files and tools over it.`,
	sealed: (turns: number) =>
		`The conversation so far (${count(turns)}) was compacted to free context. The user's messages above are verbatim, the newest last. The server's encrypted summary of the rest follows; trust files and tools over it.`,
	trimmed: (turns: number) =>
		`The oldest tool results and texts of the conversation so far (${count(turns)}) were removed to free context. The rest is verbatim; do not repeat work only because its result is gone.`,
};

function count(turns: number): string {
	return turns === 1 ? "1 turn" : `${turns} turns`;
}

/** Progress so far, and the next action. */
export const compactedContext = defineFragment<{ readonly text: string }>({
	kind: "compacted-context",
	role: "user",
	tag: "compacted_context",
	origin: "tool",
	maxChars: 100_000,
	about: "The summary of earlier turns; its last line says where to continue.",
	summary: () => "summary",
	body: ({ text }) => text,
});
