import { defineFragment } from "../fragment.ts";

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

/** How to read what follows a compaction. */
export const historyBridge = defineFragment<{ readonly turns: number }>({
	kind: "history-bridge",
	role: "user",
	tag: "history_bridge",
	origin: "host",
	maxChars: 2_000,
	about: "That earlier turns were replaced by a summary.",
	summary: ({ turns }) => `${turns} turns summarised`,
	body: ({ turns }) =>
		`The conversation so far (${turns} turns) was replaced by what stands around this block, because the window was filling up. The user's words above are exact. The summary below was written by a model: trust files and tools over it. Dropped turns can be read again with the recall tool.`,
});

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
