import { type Said, say } from "../protocol/say.ts";
import type { Settings } from "../protocol/settings/settings.ts";
import type { ModelFailure } from "./port.ts";

/** Longest pause that a server can request; beyond it the turn ends and the user decides. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Limit for all pauses of one step together. */
const MAX_TOTAL_WAIT_MS = 90_000;

/** What a step has cost so far. */
export interface Attempts {
	readonly requests: number;
	readonly waitedMs: number;
}

/** Milliseconds to wait before the next attempt, or undefined when there should be none. */
export function planRetry(
	failure: ModelFailure,
	made: Attempts,
	settings: Settings["retry"],
	/** 0 to 1, so that many clients do not retry at the same moment. */
	jitter: number,
): number | undefined {
	if (!failure.retryable || made.requests >= mostAttempts(failure, settings)) return undefined;
	const growing = settings.baseDelayMs * 2 ** (made.requests - 1) * (0.9 + 0.2 * jitter);
	const wait = Math.max(0, failure.retryAfterMs ?? Math.min(Math.round(growing), MAX_RETRY_AFTER_MS));
	return wait <= MAX_RETRY_AFTER_MS && made.waitedMs + wait <= MAX_TOTAL_WAIT_MS ? wait : undefined;
}

/** How many requests a step makes at most if this is how they fail. */
export function mostAttempts({ attempts }: ModelFailure, settings: Settings["retry"]): number {
	return Math.min(settings.attempts, attempts ?? settings.attempts);
}

/** When the next attempt comes, and which one it is. */
export function sayRetry(waitMs: number, of: { readonly attempt: number; readonly attempts: number }): Said {
	return waitMs === 0 ? say("retry-now", of) : say("retry-soon", { ...of, seconds: (waitMs / 1_000).toFixed(1) });
}

/** The delay that a server asks for in any known header form; undefined if it makes no sense. */
export function parseRetryAfter(headers: Pick<Headers, "get"> | undefined, now: number): number | undefined {
	const [ms] = MILLISECOND_HEADERS.flatMap((name) => plainNumber(headers?.get(name)) ?? []);
	if (ms !== undefined) return ms;
	const value = headers?.get("retry-after")?.trim() ?? "";
	const seconds = plainNumber(value);
	if (seconds !== undefined) return seconds * 1_000;
	const until = dateIn(value);
	// Use the server's clock if it sends one: ours may differ.
	return until === undefined ? undefined : Math.max(0, until - (dateIn(headers?.get("date") ?? "") ?? now));
}

/** The delay in a server's sentence, such as "Please try again in 1m20.5s". */
export function readPause(text: string): number | undefined {
	const found = PAUSE.exec(text)?.[1];
	return found === undefined ? undefined : readDuration(found);
}

/** Milliseconds of a duration in letters, such as "6m0s" or "20ms". */
export function readDuration(text: string): number | undefined {
	const amounts = [...text.slice(0, MAX_DURATION_CHARS).matchAll(AMOUNT)];
	const total = amounts.reduce((sum, [, number, unit = ""]) => {
		return sum + Number(number) * (MILLISECONDS.find(([prefix]) => unit.toLowerCase().startsWith(prefix))?.[1] ?? 0);
	}, 0);
	return amounts.length > 0 && Number.isFinite(total) ? total : undefined;
}

const MAX_DURATION_CHARS = 200;

const MILLISECOND_HEADERS = ["retry-after-ms", "x-ms-retry-after-ms"];

export function plainNumber(text: string | null | undefined): number | undefined {
	return /^\s*\d+(?:\.\d+)?\s*$/.test(text ?? "") ? Number(text) : undefined;
}

// `Date.parse` accepts almost anything, so check for the three HTTP forms and the ISO form first.
const NAMED_DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
const BARE_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

export function dateIn(text: string): number | undefined {
	const dated = NAMED_DATE.test(text) || ISO_DATE.test(text) ? text : BARE_DATE.test(text) ? `${text} GMT` : "";
	const date = Date.parse(dated);
	return Number.isNaN(date) ? undefined : date;
}

const MILLISECONDS: readonly (readonly [prefix: string, ms: number])[] = [
	["ms", 1],
	["milli", 1],
	["s", 1_000],
	["m", 60_000],
	["h", 3_600_000],
	["d", 86_400_000],
];
const UNIT = "(?:milliseconds?|ms|minutes?|mins?|m|seconds?|secs?|s|hours?|hrs?|h|days?|d)(?![a-z])";
const PAUSE = new RegExp(`(?:try again|retry) (?:in|after) ((?:[\\d.]{1,20} ?${UNIT}(?:,| and)? ?){1,8})`, "i");
const AMOUNT = new RegExp(`([\\d.]{1,20}) ?(${UNIT})`, "gi");

/** A failure as a sentence of its own, whatever the server ended its text with. */
export function asSentence({ text, values, ...said }: Said): Said {
	const quoted = values?.said;
	return {
		...said,
		text: endSentence(text),
		...(values && { values: typeof quoted === "string" ? { ...values, said: endSentence(quoted) } : values }),
	};
}

function endSentence(text: string): string {
	const said = text.trimEnd();
	return /[.!?…。！？]$/u.test(said) ? said : `${said}.`;
}
