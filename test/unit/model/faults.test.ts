import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { APIConnectionError } from "openai";
import { ModelFailure } from "../../../agent-host/model/port.ts";
import { MAX_RETRY_AFTER_MS, parseRetryAfter, planRetry } from "../../../agent-host/model/retry.ts";
import { withIdleLimit } from "../../../agent-host/model/watchdog.ts";
import { failureFromError } from "../../../agent-host/model/wires/failure.ts";
import { Settings } from "../../../agent-host/protocol/settings.ts";

const { retry } = Settings.parse({});

test("whatever a server asks for, a step waits a minute at a time, a minute and a half in all, and makes five requests", () => {
	const pause = fc.oneof(fc.integer({ min: -10, max: 200_000 }), fc.constant(1e12), fc.constant(undefined));
	fc.assert(
		fc.property(fc.array(pause, { maxLength: 20 }), fc.double({ min: 0, max: 1, noNaN: true }), (pauses, jitter) => {
			let made = { requests: 1, waitedMs: 0 };
			for (const retryAfterMs of pauses) {
				const failure = new ModelFailure("rate-limit", "Slow down.", { retryable: true, retryAfterMs });
				const wait = planRetry(failure, made, retry, jitter);
				if (wait === undefined) break;
				assert.ok(wait >= 0 && wait <= MAX_RETRY_AFTER_MS);
				made = { requests: made.requests + 1, waitedMs: made.waitedMs + wait };
			}
			assert.ok(made.requests <= 5 && made.waitedMs <= 90_000, JSON.stringify(made));
		}),
	);
});

test("a pause of a thousand million seconds is understood and not waited for, and one that is no number is none", () => {
	const read = (value: string) => parseRetryAfter(new Headers({ "retry-after": value }), 0);
	assert.deepEqual(["1000000000", "NaN", "Infinity", " "].map(read), [1e12, undefined, undefined, undefined]);
});

function lost(code: string): ModelFailure {
	const error = new APIConnectionError({
		cause: new TypeError("failed", { cause: Object.assign(new Error(), { code }) }),
	});
	return failureFromError(error, { origin: "https://model.test", model: "m", sent: "key" }, 0);
}

test("a machine that is offline, a server that is down and a certificate that is not trusted are told apart", () => {
	const said = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "SELF_SIGNED_CERT_IN_CHAIN", "CERT_HAS_EXPIRED"]
		.map(lost)
		.map(({ code, retryable, message }) => [
			code,
			retryable,
			/offline|cannot be reached|not trusted/.exec(message)?.[0],
		]);
	assert.deepEqual(said, [
		["network", true, "offline"],
		["network", true, "offline"],
		["network", true, "cannot be reached"],
		["network", true, "cannot be reached"],
		["network", false, "not trusted"],
		["network", false, "not trusted"],
	]);
});

test("a model is given up at its limit of silence and not a moment before, however slowly it spoke until then", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const speak: (() => void)[] = [];
	async function* slow(signal: AbortSignal) {
		for (;;) {
			await new Promise<void>((resolve, reject) => {
				speak.push(resolve);
				signal.addEventListener("abort", () => reject(signal.reason), { once: true });
			});
			yield "word";
		}
	}
	const words = withIdleLimit(slow, retry.idleMs, new AbortController().signal);
	for (let round = 0; round < 3; round += 1) {
		const next = words.next();
		await new Promise(setImmediate);
		t.mock.timers.tick(retry.idleMs - 1);
		speak.shift()?.();
		assert.deepEqual(await next, { value: "word", done: false });
	}
	const last = words.next();
	const ended = assert.rejects(last, { code: "network", retryable: true, message: /nothing for 90 seconds/ });
	await new Promise(setImmediate);
	t.mock.timers.tick(retry.idleMs);
	await ended;
});
