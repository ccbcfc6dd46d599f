import type { Settings } from "../protocol/settings.ts";
import type { ModelFailure } from "./port.ts";

/** Longest pause a server can ask for; beyond it the turn ends and the user decides. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Milliseconds to wait before the next attempt, or undefined when there should be none. */
export function planRetry(
	failure: ModelFailure,
	attemptsMade: number,
	settings: Settings["retry"],
	/** 0 to 1, so that many clients do not come back at the same moment. */
	jitter: number,
): number | undefined {
	if (!failure.retryable || attemptsMade >= settings.attempts) return undefined;
	if (failure.retryAfterMs !== undefined) {
		return failure.retryAfterMs <= MAX_RETRY_AFTER_MS ? Math.max(0, failure.retryAfterMs) : undefined;
	}
	return Math.round(settings.baseDelayMs * 2 ** (attemptsMade - 1) * (0.9 + 0.2 * jitter));
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
