import assert from "node:assert/strict";
import { test } from "node:test";
import type { TurnEnvelope } from "../../../agent-host/envelope/envelope.ts";
import { type ModelClient, type ModelEvent, ModelFailure, type ModelRequest } from "../../../agent-host/model/port.ts";
import type { Span } from "../../../agent-host/protocol/host/telemetry.ts";
import { ItemId } from "../../../agent-host/protocol/ids.ts";
import type { ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import { asOtlp, tracesAddress } from "../../../agent-host/telemetry/otlp.ts";
import { createRecorder, type Recorder } from "../../../agent-host/telemetry/recorder.ts";
import { anEnvelope } from "../../support/an-envelope.ts";
import { eachEvent } from "../../support/read-stream.ts";

const USAGE = { input: 100, cached: 40, output: 7, reasoning: 3, total: 107 };
const SECRET = "SECRET-WORDS";

/** A turn with a request, a call and an answer, in which the words above are said everywhere. */
async function playTurn(recorder: Recorder, envelope: TurnEnvelope): Promise<void> {
	const { turnId } = envelope.identity;
	let at = envelope.telemetry.startedAt;
	const publish = (event: ThreadEvent): void => {
		at += 10;
		recorder.observe({ at, event });
	};
	const id = ItemId.parse("i");
	recorder.begin(envelope, undefined, SECRET);
	await askModel(recorder, envelope, [{ type: "completed", usage: USAGE }]);
	const call = { kind: "command", id, callId: "c", name: "run_command", arguments: SECRET, title: SECRET } as const;
	publish({ type: "itemStarted", turnId, item: { ...call, status: "running" } });
	publish({ type: "itemCompleted", turnId, item: { ...call, status: "failed", output: SECRET } });
	publish({ type: "itemCompleted", turnId, item: { kind: "agentMessage", id, text: SECRET } });
	publish({ type: "turnCompleted", turnId, status: "completed" });
}

async function askModel(
	recorder: Recorder,
	envelope: TurnEnvelope,
	events: readonly (ModelEvent | Error)[],
): Promise<void> {
	const client: ModelClient = {
		ready: async () => undefined,
		async *stream() {
			for (const event of events) {
				if (event instanceof Error) throw event;
				yield [event];
			}
		},
	};
	const request = { model: "demo", instructions: SECRET } as ModelRequest;
	const stream = recorder.watch(client, envelope).stream(request, new AbortController().signal);
	for await (const event of eachEvent(stream)) {
		if (event.type === "completed") return;
	}
}

function aRecorder(): { readonly recorder: Recorder; readonly sent: (readonly Span[])[] } {
	const sent: (readonly Span[])[] = [];
	let now = 1_800_000_000_000;
	const recorder = createRecorder({ now: () => (now += 5), ended: (_, spans) => sent.push([...spans]) });
	return { recorder, sent };
}

test("a turn is one trace: the turn, its request and its call, labelled from the envelope", async () => {
	const { recorder, sent } = aRecorder();
	await playTurn(recorder, anEnvelope({ settings: { modes: { collaboration: "plan" } } }));
	const spans = sent[0] ?? assert.fail();
	assert.deepEqual(
		spans.map(({ name, kind, parentId, error }) => [name, kind, parentId === undefined, error]),
		[
			["invoke_agent vitrine", "internal", true, undefined],
			["chat demo", "client", false, undefined],
			["execute_tool run_command", "internal", false, "failed"],
		],
	);
	assert.ok(spans.every(({ traceId, endMs = 0, startMs }) => /^[0-9a-f]{32}$/.test(traceId) && endMs > startMs));
	const [turn, request] = spans.map(({ attributes }) => attributes);
	assert.equal(turn?.["vitrine.mode"], "plan");
	assert.equal(turn?.["vitrine.sandbox"], "bubblewrap");
	assert.equal(request?.["gen_ai.usage.input_tokens"], USAGE.input);
});

test("nothing that was said is in a trace, unless the user asked for it", async () => {
	const { recorder, sent } = aRecorder();
	await playTurn(recorder, anEnvelope());
	await playTurn(recorder, anEnvelope({ settings: { telemetry: { content: true } } }));
	const [quiet, full] = sent.map((spans) => JSON.stringify(asOtlp(spans, "1")).includes(SECRET));
	assert.deepEqual([quiet, full], [false, true]);
});

test("a failed request records its kind of failure, and one not read to its end is recorded as cut", async () => {
	const { recorder } = aRecorder();
	const envelope = anEnvelope();
	recorder.begin(envelope, undefined);
	const failure = new ModelFailure("rate-limit", "Later.", { retryable: true });
	await assert.rejects(askModel(recorder, envelope, [failure]), /Later/);
	await askModel(recorder, envelope, []);
	assert.deepEqual(
		recorder.read().map(({ error }) => error),
		[undefined, "rate-limit", "cut"],
	);
});

test("the number of spans per turn and of turns is limited, even if calls or turns never end", async () => {
	const { recorder, sent } = aRecorder();
	const envelope = anEnvelope();
	recorder.begin(envelope, undefined);
	for (let count = 0; count < 2_100; count += 1) await askModel(recorder, envelope, [{ type: "completed" }]);
	const { turnId } = envelope.identity;
	recorder.observe({ at: 2, event: { type: "turnCompleted", turnId, status: "completed" } });
	assert.equal(sent[0]?.length, 2_000);
	assert.equal(sent[0]?.[0]?.attributes["vitrine.dropped_spans"], 101);
	for (let turn = 0; turn < 60; turn += 1) {
		recorder.begin(anEnvelope({ request: { turnId: `t${turn}` as typeof turnId } }), undefined);
	}
	assert.equal(recorder.read().length, 50);
});

test("spans have the form that OTLP over HTTP asks for", () => {
	const span: Span = {
		...{ traceId: "a".repeat(32), spanId: "b".repeat(16), parentId: "c".repeat(16), name: "chat x", kind: "client" },
		...{ startMs: 1_800_000_000_000.5, endMs: 1_800_000_000_001, attributes: { a: "x", b: 1, c: 1.5, d: true } },
		error: "cut",
	};
	const { resourceSpans } = JSON.parse(JSON.stringify(asOtlp([span], "1")));
	assert.deepEqual(resourceSpans[0].scopeSpans[0].spans[0], {
		...{ traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parentId, name: "chat x", kind: 3 },
		...{ startTimeUnixNano: "1800000000000500000", endTimeUnixNano: "1800000000001000000" },
		attributes: [
			{ key: "a", value: { stringValue: "x" } },
			{ key: "b", value: { intValue: "1" } },
			{ key: "c", value: { doubleValue: 1.5 } },
			{ key: "d", value: { boolValue: true } },
			{ key: "error.type", value: { stringValue: "cut" } },
		],
		status: { code: 2, message: "cut" },
	});
	for (const endpoint of ["http://h:4318", "http://h:4318/", "http://h:4318/v1/traces"]) {
		assert.equal(tracesAddress(endpoint), "http://h:4318/v1/traces");
	}
});
