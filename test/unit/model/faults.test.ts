import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { APIConnectionError } from "openai/core/error";
import { type ModelEvent, ModelFailure } from "../../../agent-host/model/port.ts";
import {
	asSentence,
	MAX_RETRY_AFTER_MS,
	parseRetryAfter,
	planRetry,
	readPause,
} from "../../../agent-host/model/retry.ts";
import { withIdleLimit } from "../../../agent-host/model/watchdog.ts";
import { readRefused } from "../../../agent-host/model/wires/connection/http.ts";
import { ignoresProxy } from "../../../agent-host/model/wires/connection/proxy-support.ts";
import { failureFromError } from "../../../agent-host/model/wires/refusals/failure.ts";
import { quote, say } from "../../../agent-host/protocol/say.ts";
import { Settings } from "../../../agent-host/protocol/settings/settings.ts";

const { retry } = Settings.parse({});
const WORD = { type: "delta", key: "0", kind: "agentMessage", text: "word" } as const;

test("a step waits at most a minute at a time and 90 s in all, and makes at most five requests", () => {
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

const NOW = Date.parse("2027-01-01T00:00:00Z");

/** Every form of the header, with what is waited for; undefined stands for our own growing pause. */
const PAUSES: readonly (readonly [header: string, value: string, ms: number | undefined])[] = [
	["retry-after", "3", 3_000],
	["retry-after", " 1.5 ", 1_500],
	["retry-after", "0", 0],
	["retry-after", "1000000000", 1e12],
	["retry-after", "9".repeat(400), Number.POSITIVE_INFINITY],
	["retry-after", "Fri, 01 Jan 2027 00:00:05 GMT", 5_000],
	["retry-after", "Friday, 01-Jan-27 00:00:05 GMT", 5_000],
	["retry-after", "Fri Jan  1 00:00:05 2027", 5_000],
	["retry-after", "2027-01-01T00:00:05Z", 5_000],
	["retry-after", "Fri, 01 Jan 2021 00:00:00 GMT", 0],
	["retry-after-ms", "250", 250],
	["x-ms-retry-after-ms", "250.5", 250.5],
	...[
		"-5",
		"+5",
		"0x10",
		"1e3",
		"5s",
		"1, 2",
		"soon 1",
		"NaN",
		"Infinity",
		"Fri, 99 Jan 2027 00:00:05 GMT",
		"",
	].flatMap((value) => ["retry-after", "retry-after-ms"].map((header) => [header, value, undefined] as const)),
];

test("Retry-After is read in all of its forms, and an invalid one does not cause an immediate retry", () => {
	for (const [header, value, ms] of PAUSES)
		assert.equal(parseRetryAfter(new Headers({ [header]: value }), NOW), ms, `${header}: ${value}`);
	const both = new Headers({ "retry-after-ms": "no", "retry-after": "2" });
	assert.deepEqual([parseRetryAfter(both, NOW), parseRetryAfter(undefined, NOW)], [2_000, undefined]);
	const late = { date: "Fri, 01 Jan 2027 09:00:00 GMT", "retry-after": "Fri, 01 Jan 2027 09:00:07 GMT" };
	assert.equal(parseRetryAfter(new Headers(late), NOW), 7_000, "by the server's clock, where it tells it");
});

test("a pause stated in a sentence is read with all of its units", () => {
	const pauses = [
		"Please try again in 1m20.5s.",
		"Try again in 20ms",
		"Please retry after 6 seconds.",
		"Please retry in 34.5s.",
		"try again in 1h2m",
		"try again in 1 minute and 5 seconds",
		"try again in 2 days",
		"try again in 5 more ways",
		"try again in 1.2.3s",
		"try again later",
	].map(readPause);
	const none = undefined;
	assert.deepEqual(pauses, [80_500, 20, 6_000, 34_500, 3_720_000, 65_000, 172_800_000, none, none, none]);
});

function lost(code: string): ModelFailure {
	const error = new APIConnectionError({
		cause: Object.assign(new Error("failed"), { code }),
	});
	return failureFromError(error, { origin: "https://model.test", model: "m", sent: "key" }, 0);
}

test("an offline machine, a server that is down and an untrusted certificate are distinguished", () => {
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

test("a proxy that this Node version cannot use is mentioned if the connection fails, and only then", () => {
	const set = { NODE_USE_ENV_PROXY: "1" };
	const versions = ["22.20.0", "22.21.0", "23.11.0", "24.4.1", "24.5.0", "26.1.0"].map((version) =>
		ignoresProxy(version, set),
	);
	assert.deepEqual(versions, [true, false, true, true, false, false]);
	assert.equal(ignoresProxy("22.20.0", {}), false);
	const place = { origin: "https://model.test", model: "m", sent: "key", withoutProxy: true } as const;
	const { message, retryable } = failureFromError(new APIConnectionError({}), place, 0);
	assert.deepEqual(
		[retryable, /A proxy is set, but the editor's Node version is too old/.test(message)],
		[false, true],
	);
});

test("a refusal whose body never ends is classified by its status after five seconds", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("Wrong k")) });
	const refusal = readRefused({ status: 401, headers: { get: () => null }, body });
	for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
	t.mock.timers.tick(5_000);
	const { status, error } = await refusal;
	assert.deepEqual([status, error], [401, { message: "Wrong k" }]);
});

test("a model is given up exactly at its limit of silence, however slowly it spoke until then", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const speak: (() => void)[] = [];
	async function* slow(signal: AbortSignal) {
		for (;;) {
			await new Promise<void>((resolve, reject) => {
				speak.push(resolve);
				signal.addEventListener("abort", () => reject(signal.reason), { once: true });
			});
			yield [WORD];
		}
	}
	const words = withIdleLimit(slow, retry.idleMs, new AbortController().signal);
	for (let round = 0; round < 3; round += 1) {
		const next = words.next();
		await new Promise(setImmediate);
		t.mock.timers.tick(retry.idleMs - 1);
		speak.shift()?.();
		assert.deepEqual(await next, { value: [WORD], done: false });
	}
	const last = words.next();
	const ended = assert.rejects(last, {
		code: "network",
		retryable: true,
		message: /No response from the model for 300 seconds/,
	});
	await new Promise(setImmediate);
	t.mock.timers.tick(retry.idleMs);
	await ended;
});

test("a silent model is asked once more, and not again", async () => {
	async function* silent(signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
		await new Promise((_, stop) => signal.addEventListener("abort", () => stop(signal.reason)));
	}
	const failure = await withIdleLimit(silent, 20, new AbortController().signal)
		.next()
		.catch((error: unknown) => error);
	assert.ok(failure instanceof ModelFailure);
	const again = [1, 2].map((requests) => planRetry(failure, { requests, waitedMs: 0 }, retry, 0) !== undefined);
	assert.deepEqual(again, [true, false]);
});

test("a server that only sends signs of life is waited for five times as long, and its answer is received", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	let say: (event: ModelEvent) => void = () => assert.fail("nobody listens");
	async function* comments(signal: AbortSignal) {
		for (;;) {
			const event = await new Promise<ModelEvent>((resolve, reject) => {
				say = resolve;
				signal.addEventListener("abort", () => reject(signal.reason), { once: true });
			});
			yield [event];
		}
	}
	const words = withIdleLimit(comments, 1_000, new AbortController().signal);
	const live = async (rounds: number) => {
		for (let round = 0; round < rounds; round += 1) {
			await new Promise(setImmediate);
			t.mock.timers.tick(990);
			say({ type: "alive" });
		}
		await new Promise(setImmediate);
	};
	const heard = words.next();
	await live(5);
	say(WORD);
	assert.deepEqual(await heard, { value: [WORD], done: false });
	const ended = assert.rejects(words.next(), { code: "network", message: /No response from the model for 1 seconds/ });
	await live(5);
	t.mock.timers.tick(50);
	await ended;
});

test("a server's text and ours are two sentences, however the server ended its own", () => {
	assert.equal(asSentence(quote("quota of acme-coder-2")).text, "quota of acme-coder-2.");
	assert.equal(asSentence(quote("Slow down! ")).text, "Slow down!");
	const { text, values } = asSentence(say("no-quota", { said: "quota of acme-coder-2" }));
	assert.deepEqual([text.endsWith("acme-coder-2."), values], [true, { said: "quota of acme-coder-2." }]);
});
