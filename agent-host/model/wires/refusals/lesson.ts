import { type Said, say } from "../../../protocol/say.ts";
import type { Quirk } from "./quirks.ts";

/** What a refusal teaches about a model at a server, with a text for the user. */
export interface Lesson {
	readonly quirks: readonly Quirk[];
	readonly describe: (origin: string) => Said;
}

/** Sentences with nothing but the server in them. */
type PlainSentence =
	| "quirk-no-free-form"
	| "quirk-no-tools"
	| "quirk-tools-with-calls"
	| "quirk-short-ids"
	| "quirk-signatures"
	| "quirk-alternate"
	| "quirk-answer-after-tools"
	| "quirk-calls-in-words"
	| "quirk-no-developer"
	| "quirk-no-system"
	| "quirk-reasoning"
	| "quirk-no-schema"
	| "quirk-no-json"
	| "quirk-no-images"
	| "quirk-small-images"
	| "quirk-single-calls"
	| "quirk-output";

/** Statuses of a refusal that may be about an option. Servers with strict templates answer a wrong role with 500. */
export const TEACHES: ReadonlySet<number> = new Set([400, 404, 415, 422, 500, 501]);

/** The body that was refused. */
export type Body = Readonly<Record<string, unknown>>;

/** One quirk, and a sentence for it. */
export function teach(quirk: Quirk, sentence: PlainSentence): Lesson {
	return { quirks: [quirk], describe: (origin) => say(sentence, { origin }) };
}
