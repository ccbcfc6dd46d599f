import type { Settings } from "../protocol/settings.ts";
import type { ModelFailure } from "./port.ts";

/** Longest pause a server can ask for; beyond it the turn ends and the user decides. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** All pauses of one step together. */
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
	/** 0 to 1, so that many clients do not come back at the same moment. */
	jitter: number,
): number | undefined {
	const most = Math.min(settings.attempts, failure.attempts ?? settings.attempts);
	if (!failure.retryable || made.requests >= most) return undefined;
	const growing = settings.baseDelayMs * 2 ** (made.requests - 1) * (0.9 + 0.2 * jitter);
	const wait = Math.max(0, failure.retryAfterMs ?? Math.min(Math.round(growing), MAX_RETRY_AFTER_MS));
	return wait <= MAX_RETRY_AFTER_MS && made.waitedMs + wait <= MAX_TOTAL_WAIT_MS ? wait : undefined;
}

/** `Retry-After` in its two forms, and the millisecond form some servers send; undefined when it makes no sense. */
export function parseRetryAfter(headers: Headers | undefined, now: number): number | undefined {
	const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN);
	if (Number.isFinite(ms) && ms >= 0) return ms;
	const value = headers?.get("retry-after");
	if (value === null || value === undefined || value.trim() === "") return undefined;
	const seconds = Number(value);
	if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1_000 : undefined;
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The pause a server names in a sentence, such as "Please try again in 1m20.5s". */
export function readPause(text: string): number | undefined {
	const found = /try again in ((?:[\d.]+ ?(?:milliseconds|ms|minutes?|m|seconds?|s)[ ,]*)+)/i.exec(text)?.[1];
	if (found === undefined) return undefined;
	const parts = [...found.matchAll(/([\d.]+) ?(milliseconds|ms|minutes?|m|seconds?|s)/gi)];
	const total = parts.reduce((sum, [, number, unit]) => sum + Number(number) * millisecondsIn(unit ?? ""), 0);
	return Number.isFinite(total) ? total : undefined;
}

function millisecondsIn(unit: string): number {
	if (/^(ms|milli)/i.test(unit)) return 1;
	return /^m/i.test(unit) ? 60_000 : 1_000;
}
