import type { CollaborationMode, Personality } from "../../protocol/settings/settings.ts";
import { defineFragment } from "../fragment.ts";

interface Offered {
	readonly offersCommands: boolean;
	/** A sub-agent reports to its parent instead. */
	readonly offersFindings: boolean;
}

/** What a mode allows, said without a word about tools that are not offered. */
const COLLABORATION: Readonly<Record<CollaborationMode | "reviewed", (offered: Offered) => string>> = {
	default: ({ offersCommands }) => `Plan mode is off. ${doTheWork(offersCommands)}`,
	plan: ({ offersCommands }) =>
		`Plan mode is on. Investigate and plan; change nothing. ${readOnly(offersCommands)}, and no approval changes that until the user turns plan mode off. End with a plan the user can approve: ordered steps, files to change, risks, how to verify the result.`,
	review: ({ offersCommands, offersFindings }) =>
		`Review mode is on for this turn. Review the changes the user names; change nothing. ${readOnly(offersCommands)}, and no approval changes that. Look for what these changes break or leave open: bugs, security problems, lost data, broken contracts, missing tests. Verify each finding in the code before you report it. No style remarks, and nothing that was there before. ${offersFindings ? "Report all findings in one report_findings call, then say in a few sentences" : "Report all findings in your last message, and say there"} what you reviewed and what you could not check.`,
	reviewed: ({ offersCommands }) => `The review is over. ${doTheWork(offersCommands)}`,
};

function readOnly(offersCommands: boolean): string {
	return offersCommands ? "Files are read-only, commands can write only temporary files" : "Files are read-only";
}

function doTheWork(offersCommands: boolean): string {
	return `Do the work: change files${offersCommands ? " and run commands" : ""} as the permissions allow.`;
}

/** Plan mode, review mode or act mode. */
export const collaborationMode = defineFragment<
	Offered & { readonly mode: CollaborationMode; readonly ended?: "review" }
>({
	kind: "collaboration-mode",
	role: "developer",
	tag: "collaboration_mode",
	origin: "host",
	maxChars: 1_000,
	about: "Plan, Review or Act.",
	summary: ({ mode }) => `mode: ${mode}`,
	attributes: ({ mode }) => ({ mode }),
	body: ({ mode, ended, ...offered }) =>
		COLLABORATION[mode === "default" && ended === "review" ? "reviewed" : mode](offered),
});

/** Voice mode: the user speaks and listens instead of typing. Stated when it begins and ends. */
export const realtime = defineFragment<{ readonly active: boolean }>({
	kind: "realtime",
	role: "developer",
	tag: "realtime_conversation",
	origin: "host",
	maxChars: 1_000,
	about: "The user starts or stops speaking instead of typing.",
	summary: ({ active }) => (active ? "conversation by voice" : "conversation by voice ended"),
	attributes: ({ active }) => ({ state: active ? "active" : "ended" }),
	body: ({ active }) =>
		active
			? "The user is talking to you. Their speech is transcribed and may contain errors; answer in a few short sentences that can be read aloud, without tables or code blocks unless asked."
			: "The user is typing again. Answer in Markdown as usual.",
});

export const PERSONALITY_WORDS: Readonly<Record<Personality, string>> = {
	default: "Tone: plain and factual.",
	concise: "Tone: as brief as possible. Results and decisions only, no explanations unless asked.",
	friendly: "Tone: warm and encouraging, and still exact. Explain as to a colleague who is new to the code.",
};

/** The tone the user asked for. */
export const personality = defineFragment<{ readonly personality: Personality }>({
	kind: "personality",
	role: "developer",
	tag: "personality",
	origin: "host",
	maxChars: 1_000,
	about: "The tone the user asked for.",
	summary: (data) => `tone: ${data.personality}`,
	body: (data) => PERSONALITY_WORDS[data.personality],
});

/** The reasoning effort the user set. */
export const reasoningEffort = defineFragment<{ readonly effort: string | null }>({
	kind: "reasoning-effort",
	role: "developer",
	tag: "reasoning_effort",
	origin: "host",
	maxChars: 1_000,
	about: "The model's reasoning effort.",
	summary: ({ effort }) => `effort: ${effort ?? "default"}`,
	body: ({ effort }) => `Reasoning effort: ${effort ?? "the model's default"}.`,
});
