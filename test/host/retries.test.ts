import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { settlesInFairTime } from "../support/fair-time.ts";
import type { Script } from "../support/fake-model.ts";
import { renderChat } from "../support/fake-model-chat.ts";
import { renderResponses } from "../support/fake-model-responses.ts";
import {
	calls,
	cutsAfter,
	incomplete,
	type Reply,
	refuses,
	retryAfter,
	type Step,
	says,
	together,
} from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";
import { withWire } from "./rig/wires.ts";

const CUTS = process.env.VITRINE_FULL === "1" ? 300 : 10;

const withShared = shareHost({});

test("Retry-After is honoured and announced", (t) =>
	withShared(t, [retryAfter(429, 1), says("Now.")], async ({ host, model }) => {
		const { text, published } = await runTurn(host, await aThread(host), "hello");
		assert.equal(text, "Now.");
		const [first, second] = model.requests.map(({ at }) => at);
		assert.ok((second ?? 0) - (first ?? 0) >= 1_000);
		const warning = published.find(({ event }) => event.type === "warning")?.event;
		assert.match(warning?.type === "warning" ? warning.message : "", /1\.0 s/);
	}));

test("a cut answer is requested again; the partial one is marked and does not reach the model", (t) =>
	withShared(
		t,
		[cutsAfter("Half an answer, of which the end is missing.", 1_600), says("A whole answer."), says("Yes.")],
		async ({ host, model }) => {
			const threadId = await aThread(host);
			const { end, published, text } = await runTurn(host, threadId, "hello");
			assert.deepEqual([end.status, text], ["completed", "A whole answer."]);
			const messages = published.flatMap(({ event }) =>
				event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [event.item.cut ?? false] : [],
			);
			assert.deepEqual(messages, [true, false]);
			await runTurn(host, threadId, "and?");
			assert.deepEqual(
				inputLines(model.requests[2] ?? assert.fail()).filter((line) => line.startsWith("assistant")),
				["assistant: A whole answer."],
			);
		},
	));

test("an answer cut at any of 24 places is requested again and arrives whole", (t) => {
	const text = "Wörter, 世界 and 👍, cut anywhere.";
	// The length of the cut part: after its last byte nothing would be missing.
	const length = lengthOf("responses", cutsAfter(text, 0));
	const offsets = Array.from({ length: 24 }, (_, index) => 1 + Math.floor((index * length) / 24));
	const script = offsets.flatMap((offset) => [cutsAfter(text, offset), says(text)]);
	return withShared(t, script, async ({ host, model }) => {
		const threadId = await aThread(host);
		for (const [index, offset] of offsets.entries()) {
			const { end, text: answer } = await runTurn(host, threadId, `cut after ${offset}`);
			assert.deepEqual([end.status, answer], ["completed", text]);
			assert.equal(model.requests.length, 2 * (index + 1), `cut after ${offset}: it was asked for again`);
		}
	});
});

test("a call in a cut stream never runs; the next attempt's call runs once", (t) => {
	const call = { kind: "call", callId: "call_9001", name: "read_file", pieces: ['{"path":"README.md"}'] } as const;
	const cut: Step = { kind: "reply", parts: [call], ending: { kind: "eof" }, prerendered: false };
	const whole: Step = {
		...cut,
		parts: [{ ...call, callId: "call_9002" }],
		ending: { kind: "completed", usage: undefined },
	};
	return withShared(t, [cut, whole, says("Read.")], async ({ host, model }) => {
		const { published } = await runTurn(host, await aThread(host), "read it");
		const ran = published.flatMap(({ event }) =>
			event.type === "itemStarted" && isCall(event.item) ? [event.item.callId] : [],
		);
		assert.deepEqual(ran, ["call_9002"]);
		assert.equal(model.requests.length, 3);
	});
});

test("an answer that hit the output limit is kept and the user is told", (t) =>
	withShared(
		t,
		() => incomplete("max_output_tokens", "As far as it"),
		async ({ host }) => {
			const { published, end } = await runTurn(host, await aThread(host), "hello");
			assert.notEqual(end.status, "interrupted");
			const text = published.flatMap(({ event }) =>
				event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [event.item.text] : [],
			);
			assert.equal(text[0], "As far as it");
			const said = JSON.stringify(
				published.filter(({ event }) => event.type === "warning" || event.type === "turnCompleted"),
			);
			assert.match(said, /limit|max_output_tokens|incomplete|length/i);
		},
	));

test("a model that endlessly calls tools is stopped", (t) =>
	withShared(
		t,
		(_, index) => ({
			kind: "reply",
			parts: [{ kind: "call", callId: `call_${index}`, name: "list_files", pieces: ["{}"] }],
			ending: { kind: "completed", usage: undefined },
			prerendered: false,
		}),
		async ({ host, model }) => {
			const { end } = await runTurn(host, await aThread(host), "loop");
			assert.equal(end.status, "failed");
			assert.ok(model.requests.length <= 200, `${model.requests.length} requests`);
		},
	));

/** The server's clock; far from ours, so that a date counts only beside it. */
const THEIR_CLOCK = { date: "Fri, 01 Jan 2021 00:00:00 GMT" };

const FORMS: readonly (readonly [string, Readonly<Record<string, string>>, waitMs: number])[] = [
	["seconds", { "retry-after": "1" }, 1_000],
	["milliseconds", { "retry-after-ms": "300" }, 300],
	["a date", { ...THEIR_CLOCK, "retry-after": "Fri, 01 Jan 2021 00:00:01 GMT" }, 1_000],
	["a date that has passed", { "retry-after": "Fri, 01 Jan 2021 00:00:00 GMT" }, 0],
	["a negative number", { "retry-after": "-5" }, 5],
	["words", { "retry-after": "soon" }, 5],
	["nothing", { "retry-after": "" }, 5],
	[
		"tokens that are used up, as OpenAI says it",
		{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "250ms" },
		250,
	],
	[
		"requests that are used up, as Anthropic says it",
		{
			...THEIR_CLOCK,
			"anthropic-ratelimit-requests-remaining": "0",
			"anthropic-ratelimit-requests-reset": "2021-01-01T00:00:00.250Z",
		},
		250,
	],
];

test("a server's requested pause, in any form, is honoured on every wire, within its error", (t) => {
	let step: Step = says("Now.");
	const refused = new Set<string>();
	const script: Script = ({ path }) => {
		if (refused.has(path)) return says("Now.");
		refused.add(path);
		return step;
	};
	return withShared(t, script, async ({ host, model }) => {
		for (const [form, headers, expected] of FORMS) {
			step = { ...refuses(429, "rate_limit_exceeded"), headers };
			refused.clear();
			const before = model.requests.length;
			const waits = await Promise.all(
				(["responses", "chat", "messages", "gemini"] as const).map(async (wire) => {
					const turn = await runTurn(host, await aThread(host, { settings: { model: { wire } } }), form);
					assert.equal(turn.text, "Now.", `${wire}: ${form}`);
					const event = turn.published.map((one) => one.event).find(({ type }) => type === "retrying");
					return event?.type === "retrying" ? event : assert.fail(`${wire}: ${form}`);
				}),
			);
			for (const { attempt, code, waitMs } of waits) {
				assert.deepEqual([attempt, code], [2, "rate-limit"], form);
				assert.ok(Math.abs(waitMs - expected) <= 50, `${form}: ${waitMs}`);
			}
			const asked = Map.groupBy(model.requests.slice(before), ({ path }) => path);
			assert.equal(asked.size, 4);
			for (const [path, [first, second]] of asked) {
				const apart = (second?.at ?? 0) - (first?.at ?? 0);
				assert.ok(apart >= Math.min(...waits.map(({ waitMs }) => waitMs)) - 1, `${path}: ${form}`);
			}
		}
	});
});

test("the host's status shows the provider's remaining quota, from an answer or a refusal", (t) =>
	withShared(
		t,
		[
			{ ...refuses(429, "rate_limit_exceeded"), headers: { ...granted("0"), "retry-after-ms": "1" } },
			{ ...says("Now."), headers: granted("41") },
			{ ...refuses(400, "invalid_request"), headers: granted("40") },
		],
		async ({ host }) => {
			const left = async () => (await host.request(hostStatus, {})).model.rateLimits?.map((one) => one.remaining);
			const threadId = await aThread(host);
			await runTurn(host, threadId, "hello");
			assert.deepEqual(await left(), [41]);
			await runTurn(host, threadId, "again");
			assert.deepEqual(await left(), [40]);
		},
	));

function granted(remaining: string): Readonly<Record<string, string>> {
	return { "x-ratelimit-remaining-requests": remaining, "x-ratelimit-reset-requests": "6m0s" };
}

for (const wire of ["responses", "chat"] as const) {
	test(`${wire}: a turn waiting for its next attempt is stopped at once`, (t) =>
		withShared(t, [retryAfter(429, 50), says("Later.")], async ({ host, model }) => {
			const threadId = await aThread(host, { settings: { model: { wire } } });
			const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "hello" }] });
			await host.waitFor(threadId, (event) => event.type === "retrying" && event.waitMs === 50_000);
			const stopped = host.request(turnInterrupt, { threadId });
			await settlesInFairTime(stopped, 2_000, () => "the turn waits for its next attempt");
			assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "interrupted");
			assert.equal(model.requests.length, 1);
		}));

	test(`${wire}: an answer with a call, cut at any of ${CUTS} places, runs the call once`, (t) =>
		withWire(t, wire, {}, async (rig) => {
			// The command itself counts how often it ran.
			const answer = () => together(says("I look."), calls("run_command", { command: "echo ran >> runs.txt" }));
			const length = lengthOf(wire, answer());
			let made = 0;
			for (let cut = 0; cut < CUTS; cut += 1) {
				const bytes = Math.round(((cut + 0.5) * length) / CUTS);
				const half: Step = { ...answer(), ending: { kind: "cut", bytes } };
				const { items, text, end, published } = await rig.turn([half, answer(), says("Done.")]);
				const ran = items.flatMap((item) => (isCall(item) ? [item.callId] : []));
				// Cut behind its last event, the answer was whole, its call was made, and the next one is another.
				const whole = published.every(({ event }) => event.type !== "retrying");
				assert.deepEqual([ran.length, new Set(ran).size], whole ? [2, 2] : [1, 1], `cut after ${bytes}`);
				assert.deepEqual([end.status, text], ["completed", "Done."]);
				made += ran.length;
				const runs = readFileSync(join(rig.workspace, "runs.txt"), "utf8").split("\n").length - 1;
				assert.equal(runs, made, `cut after ${bytes}: no call runs twice, by halves or not at all`);
			}
			t.diagnostic(`${wire}: ${CUTS} cuts, ${made} calls, ${made} runs`);
		}));
}

/** Bytes of a reply on the wire. */
function lengthOf(wire: "responses" | "chat", reply: Reply): number {
	const frames = wire === "chat" ? renderChat(reply, "fake-1", true) : renderResponses(reply, "fake-1");
	return Buffer.byteLength([...frames].filter((frame) => typeof frame === "string").join(""));
}
