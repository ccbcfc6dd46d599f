import type { RateLimit } from "../protocol/host/host.ts";
import { dateIn, plainNumber, readDuration } from "./retry.ts";

/** Header names of one limit; the parts of a provider's names differ only in order. */
interface LimitHeaders {
	readonly unit: RateLimit["unit"];
	readonly limit: string;
	readonly remaining: string;
	readonly reset: string;
}

const OPENAI_UNITS = { requests: "requests", tokens: "tokens" } as const;
const ANTHROPIC_UNITS = {
	requests: "requests",
	tokens: "tokens",
	"input-tokens": "inputTokens",
	"output-tokens": "outputTokens",
} as const;

const HEADERS: readonly LimitHeaders[] = [
	...Object.entries(OPENAI_UNITS).map(([name, unit]) => ({
		unit,
		limit: `x-ratelimit-limit-${name}`,
		remaining: `x-ratelimit-remaining-${name}`,
		reset: `x-ratelimit-reset-${name}`,
	})),
	...Object.entries(ANTHROPIC_UNITS).map(([name, unit]) => ({
		unit,
		limit: `anthropic-ratelimit-${name}-limit`,
		remaining: `anthropic-ratelimit-${name}-remaining`,
		reset: `anthropic-ratelimit-${name}-reset`,
	})),
	// Gateways count requests only.
	{
		unit: "requests",
		limit: "x-ratelimit-limit",
		remaining: "x-ratelimit-remaining",
		reset: "x-ratelimit-reset",
	},
];

const MOST = 1e12;
/** Limits are per minute or per day; a reset further away than this is an error. */
const LONGEST_RESET_MS = 32 * 86_400_000;
/** A bare number above this is a date in seconds, and above the next one in milliseconds. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

/** What an answer's headers say about the limits of the account. Numbers that make no sense are left out. */
export function readRateLimits(headers: Pick<Headers, "get"> | undefined, now: number): readonly RateLimit[] {
	const found = HEADERS.flatMap((names): readonly RateLimit[] => {
		const remaining = readCount(headers?.get(names.remaining));
		if (remaining === undefined) return [];
		const limit = readCount(headers?.get(names.limit));
		const resetsAt = readReset(headers?.get(names.reset) ?? "", headers, now);
		return [
			{
				unit: names.unit,
				remaining,
				...(limit === undefined ? {} : { limit }),
				...(resetsAt === undefined ? {} : { resetsAt }),
			},
		];
	});
	// A gateway may pass on a provider's limits beside its own; the first kind is the more precise one.
	return found.filter(({ unit }, index) => found.findIndex((one) => one.unit === unit) === index);
}

/** Milliseconds until every limit that is used up is granted again; undefined if none is, or nobody says when. */
export function untilGranted(limits: readonly RateLimit[], now: number): number | undefined {
	const resets = limits.flatMap(({ remaining, resetsAt }) =>
		remaining === 0 && resetsAt !== undefined ? [resetsAt] : [],
	);
	return resets.length === 0 ? undefined : Math.max(0, Math.max(...resets) - now);
}

/** The limits that still hold: after its reset a count says nothing any more. */
export function currentLimits(limits: readonly RateLimit[], now: number): readonly RateLimit[] {
	return limits.filter(({ resetsAt }) => resetsAt === undefined || resetsAt > now);
}

function readCount(text: string | null | undefined): number | undefined {
	const count = plainNumber(text);
	return count === undefined || count > MOST ? undefined : Math.floor(count);
}

/** OpenAI writes a duration in letters, Anthropic a date, gateways seconds or a number that is a date. */
function readReset(text: string, headers: Pick<Headers, "get"> | undefined, now: number): number | undefined {
	const until = dateIn(text.trim());
	// Use the server's clock if it sends one: ours may differ.
	const theirNow = dateIn(headers?.get("date") ?? "") ?? now;
	const number = plainNumber(text);
	const ms =
		until !== undefined
			? until - theirNow
			: number === undefined
				? readDuration(text)
				: number > EPOCH_MS
					? number - theirNow
					: number > EPOCH_SECONDS
						? number * 1_000 - theirNow
						: number * 1_000;
	return ms === undefined || ms > LONGEST_RESET_MS ? undefined : now + Math.max(0, Math.round(ms));
}
