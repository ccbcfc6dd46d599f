import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createSseDecoder, MAX_EVENT_CHARS, MAX_STREAM_BYTES } from "../../../agent-host/model/wires/connection/sse.ts";

const RANDOM_SPLITS = process.env.VITRINE_FULL === "1" ? 10_000 : 500;

/** Every way to write an event, once, with characters of one to four bytes. */
const STREAM = Buffer.from(
	[
		"\uFEFF: a comment\n",
		"event: one\ndata: plain\n\n",
		"data:no space\r\n\r\n",
		"data:  two spaces\r\r",
		"data: Wörter 世界 👍\n\n",
		"id: 7\nretry: 10\n\n",
		"data: first\ndata: second\r\ndata\rdata: fourth\n\n",
		": keep-alive\n\n\n\n",
		"datum: not ours\ndata: after it\n\n",
		"data: [DONE]\n\n",
	].join(""),
);
const EVENTS = ["plain", "no space", " two spaces", "Wörter 世界 👍", "first\nsecond\n\nfourth", "after it", "[DONE]"];

function decode(pieces: readonly Uint8Array[]): readonly string[] {
	const decoder = createSseDecoder();
	return pieces.flatMap((piece) => decoder.push(piece));
}

function split(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
	const ends = [...places.toSorted((a, b) => a - b), bytes.length];
	return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

test("a stream gives the same events at every split, byte by byte included", () => {
	assert.deepEqual(decode([STREAM]), EVENTS);
	assert.deepEqual(decode([...STREAM].map((byte) => Uint8Array.of(byte))), EVENTS);
	for (let place = 0; place <= STREAM.length; place += 1) assert.deepEqual(decode(split(STREAM, [place])), EVENTS);
});

test(`a stream gives the same events at ${RANDOM_SPLITS} random splits into many pieces`, () => {
	fc.assert(
		fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 40 }), (places) => {
			assert.deepEqual(decode(split(STREAM, places)), EVENTS);
		}),
		{ numRuns: RANDOM_SPLITS },
	);
});

test("a stream that is cut gives the events before the cut and never half of one", () => {
	for (let place = 0; place <= STREAM.length; place += 1) {
		const events = decode([STREAM.subarray(0, place)]);
		assert.deepEqual(events, EVENTS.slice(0, events.length));
	}
});

test("an unfinished event is distinguished from a complete one", () => {
	const decoder = createSseDecoder();
	assert.deepEqual(decoder.push(Buffer.from("data: whole\n\ndata: beg")), ["whole"]);
	assert.equal(decoder.rest(), "beg");
});

test("an event over the limit is refused while it arrives, whatever field it is in", () => {
	for (const field of ["data: ", ": ", "event: "]) {
		const decoder = createSseDecoder();
		const piece = Buffer.alloc(1_048_576, "x");
		decoder.push(Buffer.from(field));
		assert.throws(
			() => {
				for (let sent = 0; sent <= MAX_EVENT_CHARS; sent += piece.length) decoder.push(piece);
			},
			{ code: "bad-stream", retryable: false },
		);
	}
});

test("an endless stream of small events is refused at its limit and holds no memory", () => {
	const decoder = createSseDecoder();
	const piece = Buffer.from(`: ${"x".repeat(1_000)}\n\n`.repeat(1_000));
	const before = process.memoryUsage().heapUsed;
	const send = () => {
		for (let sent = 0; sent <= MAX_STREAM_BYTES; sent += piece.length) assert.deepEqual(decoder.push(piece), []);
	};
	assert.throws(send, { code: "bad-stream" });
	assert.ok(process.memoryUsage().heapUsed - before < 64 * 1_048_576);
});
