import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import { BoundedReader, FrameWriter, MAX_FRAME_BYTES } from "../../../agent-host/surfaces/editor/frames.ts";

interface Read {
	readonly messages: readonly unknown[];
	readonly refused: readonly string[];
}

function read(chunks: readonly Buffer[]): Read {
	const input = new PassThrough();
	const messages: unknown[] = [];
	const refused: string[] = [];
	new BoundedReader(input, (reason) => refused.push(reason)).listen((message) => messages.push(message));
	for (const chunk of chunks) input.emit("data", chunk);
	return { messages, refused };
}

const frame = (value: unknown) => {
	const body = Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
	return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
};
const hello = { jsonrpc: "2.0", method: "hello", params: { text: 'grüße 😀 [{"' } };

test("however the bytes are cut, the same messages arrive", () => {
	const bytes = Buffer.concat([frame(hello), frame({ jsonrpc: "2.0", method: "b" }), frame(hello)]);
	fc.assert(
		fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), (cuts) => {
			const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
			const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
			assert.deepEqual(read(chunks), { messages: [hello, { jsonrpc: "2.0", method: "b" }, hello], refused: [] });
		}),
	);
});

test("a message over the limit is refused before it is held in memory, and the next one arrives", () => {
	const header = Buffer.from(`Content-Length: ${MAX_FRAME_BYTES + 1}\r\n\r\n`);
	const body = Buffer.alloc(1_048_576);
	const chunks = [header, ...Array.from({ length: 16 }, () => body), Buffer.alloc(1), frame(hello)];
	assert.deepEqual(read(chunks), {
		messages: [hello],
		refused: [`A message of ${MAX_FRAME_BYTES + 1} bytes is over the limit of ${MAX_FRAME_BYTES} and was ignored.`],
	});
});

test("bad JSON, deep JSON, a bare value and a missing length are each refused, and the connection stays open", () => {
	const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
	const chunks = [frame("{nope"), frame(deep), frame("5"), Buffer.from("Content-Type: x\r\n\r\n"), frame(hello)];
	assert.deepEqual(read(chunks), {
		messages: [hello],
		refused: [
			"A message is not valid JSON and was ignored.",
			"A message is nested deeper than 64 levels and was ignored.",
			"A message is not a JSON object and was ignored.",
			"A message has no valid Content-Length header and was ignored.",
		],
	});
});

test("brackets inside strings do not count as depth", () => {
	const message = { jsonrpc: "2.0", method: "x", params: { text: "[".repeat(1_000) } };
	assert.deepEqual(read([frame(message)]).messages, [message]);
});

test("after a stretch of garbage the next header is found", () => {
	const { messages } = read([Buffer.alloc(10_000, "x"), frame(hello)]);
	assert.deepEqual(messages, [hello]);
});

test("a message right after garbage is not lost with it", () => {
	const unix = Buffer.from("Content-Length: 2\n\n{}");
	const junk = Buffer.from("stray words\n");
	const refused = "Bytes before a message header were ignored.";
	assert.deepEqual(read([unix, frame(hello), junk, frame(hello)]), {
		messages: [hello, hello],
		refused: [refused, refused],
	});
});

test("a message whose receiver throws is refused, and the next one arrives", () => {
	const input = new PassThrough();
	const [taken, refused]: [unknown[], string[]] = [[], []];
	new BoundedReader(input, (reason) => refused.push(reason)).listen((message) => {
		if (taken.push(message) === 1) throw new TypeError("no id");
	});
	input.emit("data", Buffer.concat([frame(hello), frame(hello)]));
	assert.deepEqual([taken.length, refused.length], [2, 1]);
});

test("what the writer writes, the reader reads", async () => {
	const output = new PassThrough();
	await new FrameWriter(output).write(hello as never);
	assert.deepEqual(read([output.read()]).messages, [hello]);
});

test("messages that are sent in one go leave in one write, in their order", async () => {
	const writes: Buffer[][] = [];
	const output = new Writable({
		writev: (chunks, done) => {
			writes.push(chunks.map(({ chunk }) => chunk as Buffer));
			done();
		},
	});
	const writer = new FrameWriter(output);
	const messages = [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, result: {} }));
	await Promise.all(messages.map((message) => writer.write(message as never)));
	await writer.write(hello as never);
	assert.deepEqual(
		writes.map((chunks) => read(chunks).messages),
		[messages, [hello]],
	);
});
