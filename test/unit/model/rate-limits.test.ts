import assert from "node:assert/strict";
import { test } from "node:test";
import { APIError } from "openai/core/error";
import { createServerMemory } from "../../../agent-host/model/memory.ts";
import { currentLimits, readRateLimits, untilGranted } from "../../../agent-host/model/rate-limits.ts";
import { classifyRefusal } from "../../../agent-host/model/wires/refusals/classify-refusal.ts";
import { failureFromError, failureInStream } from "../../../agent-host/model/wires/refusals/failure.ts";
import {
	normalizeRefusal,
	readRefusal,
	readRefusalInStream,
} from "../../../agent-host/model/wires/refusals/refusal.ts";

const NOW = Date.parse("2026-11-17T10:00:00Z");
const read = (headers: Record<string, string>) => readRateLimits(new Headers(headers), NOW);

test("OpenAI's limits are read, their resets being durations in letters", () => {
	const limits = read({
		"x-ratelimit-limit-requests": "5000",
		"x-ratelimit-remaining-requests": "4999",
		"x-ratelimit-reset-requests": "12ms",
		"x-ratelimit-limit-tokens": "800000",
		"x-ratelimit-remaining-tokens": "0",
		"x-ratelimit-reset-tokens": "1m26.4s",
	});
	assert.deepEqual(limits, [
		{ unit: "requests", remaining: 4_999, limit: 5_000, resetsAt: NOW + 12 },
		{ unit: "tokens", remaining: 0, limit: 800_000, resetsAt: NOW + 86_400 },
	]);
	assert.equal(untilGranted(limits, NOW), 86_400);
});

test("Anthropic's limits are read, their resets being dates by the server's clock", () => {
	const limits = read({
		date: "Tue, 17 Nov 2026 09:59:00 GMT",
		"anthropic-ratelimit-requests-limit": "50",
		"anthropic-ratelimit-requests-remaining": "0",
		"anthropic-ratelimit-requests-reset": "2026-11-17T09:59:20Z",
		"anthropic-ratelimit-input-tokens-limit": "30000",
		"anthropic-ratelimit-input-tokens-remaining": "1000",
		"anthropic-ratelimit-input-tokens-reset": "2026-11-17T10:01:00Z",
		"anthropic-ratelimit-output-tokens-remaining": "8000",
	});
	assert.deepEqual(limits, [
		{ unit: "requests", remaining: 0, limit: 50, resetsAt: NOW + 20_000 },
		{ unit: "inputTokens", remaining: 1_000, limit: 30_000, resetsAt: NOW + 120_000 },
		{ unit: "outputTokens", remaining: 8_000 },
	]);
	assert.equal(untilGranted(limits, NOW), 20_000, "what is not used up is not waited for");
});

test("a gateway's reset is read as seconds, or as a date in seconds or milliseconds", () => {
	const resets = ["30", String(NOW / 1_000 + 30), String(NOW + 30_000)];
	for (const reset of resets) {
		const limits = read({ "x-ratelimit-remaining": "3", "x-ratelimit-reset": reset });
		assert.deepEqual(limits, [{ unit: "requests", remaining: 3, resetsAt: NOW + 30_000 }], reset);
	}
});

test("invalid headers give no limits", () => {
	assert.deepEqual(readRateLimits(undefined, NOW), []);
	for (const remaining of ["", "-1", "many", "1e3", "9".repeat(40)]) {
		assert.deepEqual(read({ "x-ratelimit-remaining-tokens": remaining }), [], remaining);
	}
	for (const reset of ["", "soon", "-5", "never", "99999d", "9".repeat(30), "9".repeat(20_000)]) {
		const limits = read({ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": reset });
		assert.deepEqual(limits, [{ unit: "tokens", remaining: 0 }], reset.slice(0, 20));
		assert.equal(untilGranted(limits, NOW), undefined);
	}
});

test("a limit is known per model until its reset, and an answer without headers does not clear it", () => {
	let now = NOW;
	const memory = createServerMemory(
		{ servers: {} },
		() => assert.fail("not for the disk"),
		() => now,
	);
	const limits = read({ "x-ratelimit-remaining-requests": "7", "x-ratelimit-reset-requests": "10s" });
	memory.noteRateLimits("https://a", "m", limits);
	memory.noteRateLimits("https://a", "m", []);
	assert.deepEqual([memory.rateLimits("https://a", "m"), memory.rateLimits("https://a", "n")], [limits, []]);
	now += 10_000;
	assert.deepEqual(memory.rateLimits("https://a", "m"), []);
	assert.deepEqual(currentLimits([{ unit: "tokens", remaining: 1 }], now), [{ unit: "tokens", remaining: 1 }]);
});

test("an enforced spend limit of Anthropic is not waited for as a rate limit is; a ramp limit is", () => {
	const refuse = (error_code: string) => {
		const error = { type: "rate_limit_error", message: "Limit.", details: { error_code } };
		const normal = normalizeRefusal(JSON.stringify({ type: "error", error })).error;
		return classifyRefusal(readRefusal(429, normal, normal.message));
	};
	assert.deepEqual([refuse("enforced_spend_limit_reached"), refuse("ramp_limit_exceeded")], ["quota", "rate"]);
});

test("a limit of a day or longer is waited for only if the server says how long", () => {
	const retried = (message: string, headers: Readonly<Record<string, string>> = {}) => {
		const error = APIError.generate(429, normalizeRefusal(JSON.stringify({ error: { message } })), undefined, {
			get: (name: string) => headers[name] ?? null,
		} as Headers);
		return failureFromError(error, { origin: "http://s", model: "m", sent: "key" }, 0).retryable;
	};
	for (const limit of [
		"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day",
		"Tokens per day limit exceeded - too many tokens processed.",
		"You have reached your weekly usage limit, upgrade for higher limits",
	]) {
		assert.deepEqual([retried(limit), retried(limit, { "retry-after": "5" })], [false, true], limit);
		assert.equal(failureInStream(readRefusalInStream({ code: 429, message: limit })).retryable, false);
	}
	for (const limit of [
		"Rate limit reached on requests per day (RPD): Limit 10000, Used 10000. Please try again in 8.64s.",
		"Rate limit exceeded: free-models-per-min.",
		"Too many requests. Need more tokens? Upgrade today.",
	])
		assert.equal(retried(limit), true, limit);
});
