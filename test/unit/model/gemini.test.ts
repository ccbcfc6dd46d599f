import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { isMutable, muteLine, withMute } from "../../../agent-host/history/mute-item.ts";
import { normalizeHistory } from "../../../agent-host/history/normalize.ts";
import { type ModelEvent, ModelFailure, type ModelRequest } from "../../../agent-host/model/port.ts";
import { readPause } from "../../../agent-host/model/retry.ts";
import { toGeminiBody } from "../../../agent-host/model/wires/gemini/gemini-body.ts";
import { createGeminiReader } from "../../../agent-host/model/wires/gemini/gemini-events.ts";
import { thinkingConfig } from "../../../agent-host/model/wires/gemini/gemini-model.ts";
import { classifyRefusal } from "../../../agent-host/model/wires/refusals/classify-refusal.ts";
import { lessonFrom } from "../../../agent-host/model/wires/refusals/lessons.ts";
import type { Quirk } from "../../../agent-host/model/wires/refusals/quirks.ts";
import { normalizeRefusal, readRefusal } from "../../../agent-host/model/wires/refusals/refusal.ts";
import { listSeals, refusesSeals } from "../../../agent-host/model/wires/refusals/sealed-parts.ts";
import { problemsInGemini } from "../../support/check-gemini-request.ts";

const SOURCE = "https://generativelanguage.googleapis.com gemini-3-pro gemini";
const STAND_IN = "skip_thought_signature_validator";

function aRequest(input: readonly HistoryItem[], more: Partial<ModelRequest> = {}): ModelRequest {
	return {
		model: "gemini-3-pro",
		instructions: "Be brief.",
		input: normalizeHistory(input),
		tools: [{ name: "read_file", description: "Reads.", parameters: { type: "object" } }],
		cacheKey: "thread",
		reasoningSummary: "auto",
		serviceTier: "auto",
		...more,
	};
}

interface Body {
	readonly contents: readonly { readonly role: string; readonly parts: readonly Record<string, unknown>[] }[];
	readonly generationConfig?: Readonly<Record<string, unknown>>;
}

function bodyOf(
	input: readonly HistoryItem[],
	more: Partial<ModelRequest> = {},
	refused: readonly string[] = [],
): Body {
	// The shape is checked by the claims themselves.
	return toGeminiBody(aRequest(input, more), new Set<Quirk>(), {
		source: SOURCE,
		refusedSeals: new Set(refused),
	}) as Body;
}

const said = (text: string): HistoryItem => ({ kind: "userMessage", text });
const host = (text: string): HistoryItem => ({
	kind: "fragment",
	fragment: "x",
	role: "developer",
	origin: "host",
	text,
});
const answered = (text: string): HistoryItem => ({ kind: "agentMessage", text });
const called = (callId: string, signature?: string, source = SOURCE): HistoryItem => ({
	kind: "toolCall",
	callId,
	name: "read_file",
	arguments: '{"path":"a"}',
	...(signature === undefined ? {} : { extra: { thoughtSignature: signature }, source }),
});
const result = (callId: string): HistoryItem => ({ kind: "toolOutput", callId, output: `out ${callId}` });

function readAll(chunks: readonly unknown[]): readonly ModelEvent[] {
	const reader = createGeminiReader(new Set(["call"]), SOURCE, []);
	return [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.end("closed")];
}

const itemsIn = (events: readonly ModelEvent[]) =>
	events.flatMap((event) => (event.type === "item" ? [event.item] : []));
const chunk = (parts: readonly object[], more: object = {}) => ({ candidates: [{ content: { parts }, ...more }] });
const DONE = { finishReason: "STOP" };

const SEALED: HistoryItem = {
	kind: "reasoning",
	providerId: "thought_signature",
	summary: [],
	encrypted: "s",
	source: SOURCE,
};

const anItem: fc.Arbitrary<readonly HistoryItem[]> = fc.oneof(
	fc.constantFrom("Do it.", "", "And this?").map((text) => [said(text)]),
	fc.constantFrom("The date changed.", "").map((text) => [host(text)]),
	fc.constantFrom("Done.", "").map((text) => [answered(text)]),
	fc.constant([SEALED]),
	fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }).map((ids) => {
		return [...ids.map((id) => called(id, "sig")), ...ids.map(result)];
	}),
	fc.string({ minLength: 1, maxLength: 8 }).map((id) => [called(id)]),
	fc.constant([{ kind: "userImage", mediaType: "image/png", width: 1, height: 1, data: "AAAA" } satisfies HistoryItem]),
);

test("any history makes a request that the Gemini API takes", () => {
	const histories = fc.array(anItem, { maxLength: 20 }).map((parts) => parts.flat());
	fc.assert(
		fc.property(histories, fc.constantFrom("gemini-3-pro", "gemini-2.5-flash", "gemma-3"), (input, model) => {
			assert.deepEqual(problemsInGemini(bodyOf([said("First."), ...input], { model })), []);
		}),
		{ numRuns: 500 },
	);
});

test("each request begins with the previous one", () => {
	const first = [host("Rules."), said("Go."), called("a", "s1"), called("b"), result("a"), result("b")];
	const next = [...first, answered("Done."), host("New day."), said("More.")];
	const [before, after] = [bodyOf(first), bodyOf(next)].map(({ contents }) => JSON.stringify(contents));
	assert.ok(after?.startsWith(before?.slice(0, -1) ?? "none"), after);
});

test("signatures arrive with their part and are sent back in exactly that part", () => {
	const events = readAll([
		chunk([{ text: "Hm.", thought: true }]),
		chunk([{ text: "I " }, { text: "look.", thoughtSignature: "s-text" }]),
		chunk([{ functionCall: { name: "read_file", args: { path: "a" } }, thoughtSignature: "s-call" }]),
		chunk([{ functionCall: { name: "read_file", args: { path: "b" } } }]),
		chunk([{ text: "", thoughtSignature: "s-last" }], DONE),
	]);
	const items = itemsIn(events);
	const ids = items.flatMap((item) => (item.kind === "toolCall" ? [item.callId] : []));
	assert.equal(new Set([...ids, "call"]).size, 3, "ids that the server does not send are made");
	const { contents } = bodyOf([said("Go."), ...items, ...ids.map(result)]);
	assert.deepEqual(contents[1]?.parts, [
		{ text: "I " },
		{ text: "look.", thoughtSignature: "s-text" },
		{ text: "", thoughtSignature: "s-last" },
		{ functionCall: { id: ids[0], name: "read_file", args: { path: "a" } }, thoughtSignature: "s-call" },
		{ functionCall: { id: ids[1], name: "read_file", args: { path: "b" } } },
	]);
	assert.deepEqual(
		contents[2]?.parts.map(({ functionResponse }) => functionResponse),
		[
			{ id: ids[0], name: "read_file", response: { output: `out ${ids[0]}` } },
			{ id: ids[1], name: "read_file", response: { output: `out ${ids[1]}` } },
		],
	);
});

test("an answer that the user muted is not sent in its signed pieces, either", () => {
	const [item] = itemsIn(readAll([chunk([{ text: "Canary.", thoughtSignature: "s" }], DONE)]));
	assert.ok(isMutable(item));
	const sent = (one: HistoryItem) => JSON.stringify(bodyOf([said("Go."), one, said("And?")]));
	assert.match(sent(item), /Canary/);
	assert.doesNotMatch(sent(withMute(item, muteLine(item))), /Canary/);
	assert.equal(sent(withMute(withMute(item, muteLine(item)), undefined)), sent(item));
});

test("a step's first call without this model's signature carries the stand-in, but only from Gemini 3 on", () => {
	const signatures = (input: readonly HistoryItem[], model: string, refused: readonly string[] = []) =>
		bodyOf([said("Go."), ...input], { model }, refused).contents.flatMap(({ parts }) =>
			parts.flatMap(({ functionCall, thoughtSignature }) => (functionCall === undefined ? [] : [thoughtSignature])),
		);
	const step = [called("a", "s1"), called("b"), result("a"), result("b")];
	assert.deepEqual(signatures(step, "gemini-3-pro"), ["s1", undefined]);
	assert.deepEqual(signatures(step, "gemini-3-pro", ["s1"]), [STAND_IN, undefined], "one that was refused is not sent");
	const foreign = [called("a", "s1", "https://openrouter.ai x"), called("b"), result("a"), result("b")];
	assert.deepEqual(signatures(foreign, "gemini-3.5-flash"), [STAND_IN, undefined]);
	assert.deepEqual(signatures([called("a"), result("a")], "gemini-2.5-pro"), [undefined]);
});

test("each generation is asked to think in the way it supports", () => {
	const ask = (model: string, reasoningEffort?: ModelRequest["reasoningEffort"]) =>
		thinkingConfig(aRequest([], { model, reasoningEffort }));
	assert.deepEqual(ask("gemini-3-pro-preview", "xhigh"), { includeThoughts: true, thinkingLevel: "HIGH" });
	assert.deepEqual(ask("gemini-3-pro"), { includeThoughts: true });
	assert.deepEqual(ask("gemini-2.5-flash", "none"), { thinkingBudget: 0 });
	assert.deepEqual(ask("gemini-2.5-pro", "low"), { includeThoughts: true, thinkingBudget: 2_048 });
	assert.equal(ask("gemini-2.0-flash", "high"), undefined);
	assert.equal(ask("gemma-3-27b", "high"), undefined);
});

test("every finish reason is interpreted", () => {
	const failure = (chunks: readonly unknown[]): string => {
		try {
			return `${readAll(chunks).at(-1)?.type}`;
		} catch (error) {
			assert.ok(error instanceof ModelFailure);
			return `${error.code} ${error.retryable} ${error.message}`;
		}
	};
	const ends = (finishReason: string) => failure([chunk([{ text: "Hi." }], { finishReason })]);
	assert.equal(ends("STOP"), "completed");
	assert.match(ends("MAX_TOKENS"), /^bad-stream false .*output limit/i);
	for (const reason of ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])
		assert.match(ends(reason), /^bad-stream true/);
	for (const reason of ["SAFETY", "PROHIBITED_CONTENT", "RECITATION", "BLOCKLIST", "SPII"]) {
		assert.match(ends(reason), /^bad-stream false .*filter/i, reason);
	}
	assert.match(failure([{ promptFeedback: { blockReason: "SAFETY" } }]), /^bad-stream false .*filter/i);
	assert.equal(failure([chunk([{ text: "Hi." }])]), "delta", "a stream that breaks off has no end");
	assert.match(failure([{ error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } }]), /^server true/);
	assert.equal(failure([[chunk([{ text: "Hi." }]), chunk([], DONE)]]), "completed", "a list in one piece");
});

test("the word for the end on what says nothing, before the answer, is not the end", () => {
	const early = [chunk([], DONE), chunk([], DONE), chunk([{ text: "Hi" }]), chunk([{ text: "." }])];
	const texts = (chunks: readonly unknown[]) =>
		readAll(chunks).flatMap((event) =>
			event.type === "item" && "text" in event.item ? [event.item.text] : [event.type],
		);
	assert.deepEqual(texts([...early, chunk([], DONE)]), ["delta", "delta", "Hi.", "completed"]);
	assert.deepEqual(texts(early), ["delta", "delta"], "without another one the answer is cut");
	assert.deepEqual(texts([chunk([], DONE)]), ["completed"]);
});

test("usage adds thoughts to the output and counts cached tokens within the input", () => {
	const usageMetadata = {
		promptTokenCount: 100,
		cachedContentTokenCount: 60,
		candidatesTokenCount: 10,
		thoughtsTokenCount: 5,
		totalTokenCount: 115,
	};
	const completed = readAll([{ ...chunk([{ text: "Hi." }], DONE), usageMetadata }]).at(-1);
	const usage = { input: 100, cached: 60, output: 15, reasoning: 5, total: 115 };
	assert.deepEqual(completed, { type: "completed", usage });
});

function refusal(status: number, error: object) {
	const normal = normalizeRefusal(JSON.stringify({ error: { code: status, ...error } })).error;
	return readRefusal(status, normal, normal.message);
}

test("Google's refusals are distinguished: a key, a per-minute limit with its pause, a window, a signature", () => {
	const key = refusal(400, { message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" });
	assert.equal(classifyRefusal(key), "auth");
	const rate = refusal(429, {
		message: "You exceeded your current quota, please check your plan and billing details.",
		status: "RESOURCE_EXHAUSTED",
		details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" }],
	});
	assert.deepEqual([classifyRefusal(rate), readPause(rate.text)], ["rate", 17_000]);
	const long = refusal(400, {
		message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
		status: "INVALID_ARGUMENT",
	});
	assert.equal(classifyRefusal(long), "too-long");
	const body = { contents: [{ role: "model", parts: [{ text: "", thoughtSignature: "s" }] }] };
	const corrupt = refusal(400, { message: "Corrupted thought signature.", status: "INVALID_ARGUMENT" });
	assert.deepEqual([refusesSeals(corrupt), listSeals(body)], [true, ["s"]]);
});

test("a refusal teaches the client to omit thinking, to sign calls, or to ask for JSON in words", () => {
	const { generationConfig, contents } = bodyOf([said("Go.")], {
		reasoningEffort: "high",
		outputSchema: { name: "answer", schema: { type: "object" } },
	});
	const learn = (message: string) =>
		lessonFrom(refusal(400, { message, status: "INVALID_ARGUMENT" }), { contents, generationConfig }, new Set())
			?.quirks;
	assert.deepEqual(learn("Thinking is not enabled for models/gemini-x."), ["no-generationConfig.thinkingConfig"]);
	assert.deepEqual(learn("Function call is missing a thought_signature in functionCall parts."), [
		"thought-signatures",
	]);
	assert.deepEqual(learn("Function calling with a response mime type: 'application/json' is unsupported"), [
		"no-json_schema",
	]);
});
