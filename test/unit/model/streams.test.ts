import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ModelEvent, ModelFailure } from "../../../agent-host/model/port.ts";
import { createChatReader } from "../../../agent-host/model/wires/chat/chat-events.ts";
import { readAnswer, type WireReader } from "../../../agent-host/model/wires/connection/answer.ts";
import { joinEvents } from "../../../agent-host/model/wires/connection/join-events.ts";
import { MAX_EVENT_CHARS } from "../../../agent-host/model/wires/connection/sse.ts";
import { createGeminiReader } from "../../../agent-host/model/wires/gemini/gemini-events.ts";
import { createMessagesReader } from "../../../agent-host/model/wires/messages/messages-events.ts";
import { LostConnection } from "../../../agent-host/model/wires/refusals/failure.ts";
import { createResponsesReader } from "../../../agent-host/model/wires/responses/responses-events.ts";
import { renderChat } from "../../support/fake-model-chat.ts";
import { renderGemini } from "../../support/fake-model-gemini.ts";
import { renderMessages } from "../../support/fake-model-messages.ts";
import { renderResponses } from "../../support/fake-model-responses.ts";
import { callsAll, type Reply, says, together } from "../../support/fake-model-steps.ts";
import { aListener, bodyOf, eachEvent } from "../../support/read-stream.ts";

const FULL = process.env.VITRINE_FULL === "1";
const RANDOM_SPLITS = FULL ? 10_000 : 25;
const MUTANTS = FULL ? 100_000 : 400;

const REPLY: Reply = together(
	says("Ä 👍.", { chunk: 2 }),
	callsAll([
		["read_file", { path: "ä" }],
		["list_files", {}],
	]),
);
/** Every byte in the full run; else every ninth. */
const STRIDE = FULL ? 1 : 9;

interface Wire {
	readonly name: string;
	readonly frames: readonly string[];
	readonly reader: () => WireReader;
}

const WIRES: readonly Wire[] = [
	{
		name: "Responses",
		frames: [...renderResponses(REPLY, "m")].filter((frame) => typeof frame === "string"),
		reader: () => createResponsesReader("s", [], []),
	},
	{
		name: "Chat Completions",
		frames: [...renderChat(REPLY, "m", true)].filter((frame) => typeof frame === "string"),
		reader: () => createChatReader(new Set(), "s", []),
	},
	{
		name: "Messages",
		frames: [...renderMessages(REPLY, "m")].filter((frame) => typeof frame === "string"),
		reader: () => createMessagesReader(new Set(), "s", []),
	},
	{
		name: "Gemini",
		frames: [...renderGemini(REPLY)].filter((frame) => typeof frame === "string"),
		reader: () => createGeminiReader(new Set(), "s", []),
	},
];

for (const { name, frames, reader } of WIRES) {
	const bytes = Buffer.from(frames.join(""));

	test(`${name}: every split of the stream gives the same events`, async () => {
		const whole = await read([bytes], reader());
		assert.equal(whole.failure, undefined);
		assert.equal(callsOf(whole.events).length, 2);
		for (let place = 1; place < bytes.length; place += STRIDE) {
			assert.deepEqual(await read([bytes.subarray(0, place), bytes.subarray(place)], reader()), whole, `at ${place}`);
		}
		await fc.assert(
			fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 30 }), async (places) => {
				const ends = [...places.toSorted((a, b) => a - b), bytes.length];
				const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
				assert.deepEqual(await read(pieces, reader()), whole);
			}),
			{ numRuns: RANDOM_SPLITS },
		);
	});

	for (const how of ["closed", "broken"] as const) {
		test(`${name}: a stream ${how} at any byte gives all of its calls or none`, async () => {
			const calls = callsOf((await read([bytes], reader())).events);
			for (let place = 0; place <= bytes.length; place += STRIDE) {
				const { events, failure } = await read([bytes.subarray(0, place)], reader(), how);
				const completed = events.at(-1)?.type === "completed";
				assert.equal(completed, failure === undefined, `at ${place}`);
				if (completed) assert.deepEqual(callsOf(events), calls, `at ${place}`);
				else assert.ok(failure instanceof Error && (how === "broken" || failure instanceof ModelFailure));
			}
		});
	}

	test(`${name}: ${MUTANTS} spoiled streams complete or end in a model failure, and repeat no call`, async () => {
		const spoiled = fc.record({
			order: fc.array(fc.nat(frames.length - 1), { maxLength: frames.length * 2 }),
			holes: fc.array(fc.tuple(fc.nat(2_000), fc.constantFrom("", "{", "}", '"', "null", "\n\n", "\u0000", "9")), {
				maxLength: 3,
			}),
		});
		await fc.assert(
			fc.asyncProperty(spoiled, async ({ order, holes }) => {
				const text = holes.reduce(
					(stream, [place, insert]) => stream.slice(0, place) + insert + stream.slice(place + 1),
					order.map((index) => frames[index]).join(""),
				);
				const { events, failure } = await read([Buffer.from(text)], reader());
				assert.ok(failure === undefined || failure instanceof ModelFailure, String(failure));
				const ids = callsOf(events).map(({ callId }) => callId);
				assert.equal(new Set(ids).size, ids.length);
			}),
			{ numRuns: MUTANTS },
		);
	});

	test(`${name}: doubling every event never doubles a call`, async () => {
		const twice = frames.flatMap((frame) => [frame, frame]).join("");
		const { events } = await read([Buffer.from(twice)], reader());
		const ids = callsOf(events).map(({ callId }) => callId);
		assert.equal(new Set(ids).size, ids.length);
	});

	test(`${name}: events after the end are ignored`, async () => {
		const more = Buffer.from(`${frames.join("")}${frames.join("")}`);
		const heard = async (all: Buffer) => {
			const { events, failure } = await read([all], reader());
			return { events: events.filter(({ type }) => type !== "alive"), failure };
		};
		assert.deepEqual(await heard(more), await heard(bytes));
	});

	test(`${name}: each event is parsed once, and none after the end`, async (context) => {
		const more = Buffer.from(`${frames.join("")}${frames.join("")}`);
		const parse = context.mock.method(JSON, "parse");
		const countParsed = async (all: Buffer) => {
			parse.mock.resetCalls();
			await read([all], reader());
			return parse.mock.callCount();
		};
		const once = await countParsed(bytes);
		assert.ok(once > 0 && once <= frames.length, `${once} times for ${frames.length} events`);
		// Gemini's answers only end with the connection.
		assert.equal(await countParsed(more), name === "Gemini" ? 2 * once : once);
	});

	test(`${name}: an event that never ends is refused at its limit`, async () => {
		const piece = Buffer.alloc(1_048_576, "x");
		const endless = [Buffer.from('data: {"x":"'), ...Array(1 + MAX_EVENT_CHARS / piece.length).fill(piece)];
		const { failure } = await read(endless, reader());
		assert.match(String(failure), /more than 16 MB in one event/);
	});

	test(`${name}: a page, an empty body and plain text are no answer, and are retried only once`, async () => {
		for (const body of ["", "<html>Sign in</html>", "Service paused", ": ping\n\n"]) {
			const { failure } = await read([Buffer.from(body)], reader());
			assert.ok(failure instanceof ModelFailure && failure.retryable && failure.attempts === 2, body);
		}
	});
}

test("an answer that is not streamed is read on the Chat wire", async () => {
	const message = { content: "Hi.", tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }] };
	const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
	const events: ModelEvent[] = [];
	const reader = createChatReader(new Set(), "s", []);
	for await (const event of eachEvent(readAnswer(bodyOf(body), reader, aListener()))) events.push(event);
	assert.deepEqual(
		events.map(({ type }) => type),
		["delta", "working", "item", "item", "completed"],
	);
});

test("an answer that is one JSON value is read up to its limit and no further", async () => {
	const piece = new TextEncoder().encode("x".repeat(1_048_576));
	let sent = 0;
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			sent += 1;
			controller.enqueue(sent === 1 ? new TextEncoder().encode('{"choices":[{"text":"') : piece);
		},
	});
	const reader = createChatReader(new Set(), "s", []);
	await assert.rejects(async () => {
		for await (const _ of readAnswer(body, reader, aListener()));
	}, ModelFailure);
	assert.ok(sent > 15 && sent < 24, `${sent} MB were taken`);
});

test("items that a Responses server sends only with its last event are not lost, and none comes twice", () => {
	const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
	const text = { type: "message", content: [{ type: "output_text", text: "Hi." }] };
	const last = { type: "response.completed", response: { output: [text, call] } };
	const kinds = (events: readonly object[]) => {
		const reader = createResponsesReader("s", [], []);
		return events.flatMap(reader.read).map((event) => (event.type === "item" ? event.item.kind : event.type));
	};
	assert.deepEqual(kinds([last]), ["agentMessage", "toolCall", "completed"]);
	const done = { type: "response.output_item.done", output_index: 0 };
	assert.deepEqual(kinds([{ ...done, item: text }, { ...done, output_index: 1, item: call }, last]), [
		"agentMessage",
		"toolCall",
		"completed",
	]);
});

interface Outcome {
	readonly events: readonly ModelEvent[];
	readonly failure?: unknown;
}

/** Events joined and without counts, since it depends on the pieces which of them come together. */
async function read(
	pieces: readonly Uint8Array[],
	reader: WireReader,
	ending: "closed" | "broken" = "closed",
): Promise<Outcome> {
	const events: ModelEvent[] = [];
	let next = 0;
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			const piece = pieces[next++];
			if (piece !== undefined) controller.enqueue(piece);
			else if (ending === "closed") controller.close();
			else controller.error(new LostConnection("terminated"));
		},
	});
	try {
		for await (const event of eachEvent(readAnswer(body, reader, aListener())))
			if (event.type !== "counted") events.push(event);
		return { events: joinEvents(events) };
	} catch (failure) {
		return { events: joinEvents(events), failure };
	}
}

function callsOf(events: readonly ModelEvent[]) {
	return events.flatMap((event) => (event.type === "item" && event.item.kind === "toolCall" ? [event.item] : []));
}
