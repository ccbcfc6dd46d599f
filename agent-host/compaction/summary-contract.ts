import { readStringObject } from "./strict-json.ts";
import { matchQuote, readIntent } from "./verbatim.ts";

/** What a model wrote, checked. Quotes are those of the record, whatever the model made of them. */
export interface CheckedSummary {
	/** The recorded message that the active task goes back to. */
	readonly request: string;
	/** Messages of the record that the model quoted as recent. */
	readonly recent: readonly string[];
	/** What the model said besides its quotes, to understand the task. */
	readonly context: string;
	/** Ends with the line `RESUME_AT: …`. */
	readonly summary: string;
	/** Quotes that were not as recorded. */
	readonly repaired: number;
}

export type Checked =
	| { readonly ok: true; readonly summary: CheckedSummary }
	| { readonly ok: false; readonly complaint: string };

/** Characters of an answer that are looked at; more is no summary. */
const MAX_ANSWER_CHARS = 4_000_000;
const KEYS = ["intent_user_message", "summary"] as const;
/** Words that name no action. */
const VAGUE =
	/^(?:unknown|none|nothing|n\/?a|tbd|todo|null|undefined|done|continue|next|next step|next action|resume|go on|proceed)?\W*$/i;

/** Checks a model's answer against the contract and the user's recorded messages, oldest first. */
export function checkSummary(
	answer: string,
	record: readonly string[],
	/** Stands for a quote that is none of them. */
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

/** The last line of a summary when it names a concrete action. */
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
	// A quote that resembles nothing the user ever said is the model's own.
	const request = matchQuote(intent.request, record) ?? waitedFor;
	const recent = record.filter((message) => message.trim() !== "" && intent.recent.includes(message));
	const repaired = Number(request !== intent.request) + Number(!isMadeOf(intent.recent, recent));
	return { request, recent, repaired };
}

/** Whether a text is nothing but these messages and the space between them. */
function isMadeOf(text: string, messages: readonly string[]): boolean {
	const longestFirst = [...messages].sort((a, b) => b.length - a.length);
	return longestFirst.reduce((rest, message) => rest.replaceAll(message, ""), text).trim() === "";
}

function refuse(complaint: string): Checked {
	return { ok: false, complaint };
}
