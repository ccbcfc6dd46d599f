import { readStringObject } from "./strict-json.ts";
import { matchQuote, readIntent } from "./verbatim.ts";

/** A model's summary after the checks. Quotes are taken from the record, not from the model's copy. */
export interface CheckedSummary {
	/** The recorded message behind the active task. */
	readonly request: string;
	/** Recorded messages that the model quoted as recent. */
	readonly recent: readonly string[];
	/** The model's text around its quotes, which explains the task. */
	readonly context: string;
	/** Ends with the line `RESUME_AT: …`. */
	readonly summary: string;
	/** Number of quotes that differed from the record. */
	readonly repaired: number;
}

export type Checked =
	| { readonly ok: true; readonly summary: CheckedSummary }
	| { readonly ok: false; readonly complaint: string };

/** Only this many characters of an answer are read; a longer text cannot be a summary. */
const MAX_ANSWER_CHARS = 4_000_000;
const KEYS = ["intent_user_message", "summary"] as const;
/** Words that do not name an action. */
const VAGUE =
	/^(?:unknown|none|nothing|n\/?a|tbd|todo|null|undefined|done|continue|next|next step|next action|resume|go on|proceed)?\W*$/i;

/** Checks a model's answer against the contract and the user's recorded messages, oldest first. */
export function checkSummary(
	answer: string,
	record: readonly string[],
	/** Used if a quote matches no message. */
	request: string = record.at(-1) ?? "",
): Checked {
	if (answer.length > MAX_ANSWER_CHARS) return refuse("It is far too long.");
	const object = readStringObject(answer.trim());
	if (!object.ok) return refuse(`It is not one valid JSON object: ${object.reason}.`);
	const { fields } = object;
	const strange = [...fields.keys()].find((key) => !KEYS.some((known) => known === key));
	if (strange !== undefined)
		return refuse(`It has a key that was not asked for: ${JSON.stringify(strange).slice(0, 80)}.`);
	const missing = KEYS.find((key) => (fields.get(key) ?? "").trim() === "");
	if (missing !== undefined) return refuse(`"${missing}" is missing or empty.`);
	const summary = (fields.get("summary") ?? "").trim();
	if (resumeLine(summary) === undefined) {
		return refuse('The last line of "summary" is not RESUME_AT: followed by a concrete action.');
	}
	if (summary.split("\n").length < 2) return refuse('"summary" says nothing but where to resume.');
	const intent = readIntent(fields.get("intent_user_message") ?? "", record);
	if ("missing" in intent) return refuse(`"intent_user_message" lacks the block ${intent.missing}.`);
	return { ok: true, summary: { ...matchQuotes(intent, record, request), context: intent.ownWords, summary } };
}

/** The last line of a summary, if it names a concrete action. */
export function resumeLine(summary: string): string | undefined {
	const line = summary.trimEnd().split("\n").at(-1) ?? "";
	const action = /^RESUME_AT:(.*)$/.exec(line)?.[1]?.trim();
	return action === undefined || VAGUE.test(action) || /^<.*>$/.test(action) ? undefined : line;
}

function matchQuotes(
	intent: { readonly request: string; readonly recent: string },
	record: readonly string[],
	waitedFor: string,
): Pick<CheckedSummary, "request" | "recent" | "repaired"> {
	// A quote that resembles none of the user's messages was invented by the model.
	const request = matchQuote(intent.request, record) ?? waitedFor;
	const recent = record.filter((message) => message.trim() !== "" && intent.recent.includes(message));
	const repaired = Number(request !== intent.request) + Number(!isMadeOf(intent.recent, recent));
	return { request, recent, repaired };
}

/** Whether a text consists only of these messages and whitespace. */
function isMadeOf(text: string, messages: readonly string[]): boolean {
	const longestFirst = [...messages].sort((a, b) => b.length - a.length);
	return longestFirst.reduce((rest, message) => rest.replaceAll(message, ""), text).trim() === "";
}

function refuse(complaint: string): Checked {
	return { ok: false, complaint };
}
