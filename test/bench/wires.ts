import { createChatReader } from "../../agent-host/model/wires/chat/chat-events.ts";
import { readAnswer, type WireReader } from "../../agent-host/model/wires/connection/answer.ts";
import { createResponsesReader } from "../../agent-host/model/wires/responses/responses-events.ts";
import { renderChat } from "../support/fake-model-chat.ts";
import { renderResponses } from "../support/fake-model-responses.ts";
import { floods } from "../support/fake-model-steps.ts";
import { aListener } from "../support/read-stream.ts";
import { type Row, rowOf } from "./table.ts";

const DELTAS = 20_000;
const ROUNDS = 9;
const CHUNK_BYTES = 65_536;
const MB = 1_048_576;
const LONG_STREAM_BYTES = 200 * MB;
/** What servers add to each delta beside the text: identities, probabilities, padding against eavesdroppers. */
const PADDING = "p".repeat(2_000);

/** CPU for each delta of an answer, read by each wire, beside reading the same bytes and doing nothing with them. */
export async function measureWires(): Promise<readonly Row[]> {
	const flood = floods(DELTAS);
	const wires: readonly (readonly [string, Iterable<unknown>, () => WireReader])[] = [
		["Responses", renderResponses(flood, "m"), () => createResponsesReader("s", [], [])],
		["Chat Completions", renderChat(flood, "m", true), () => createChatReader(new Set(), "s", [])],
	];
	const rows: Row[] = [];
	for (const [name, frames, reader] of wires) {
		const bytes = Buffer.from([...frames].join(""));
		const results: { floor: number[]; ours: number[] } = { floor: [], ours: [] };
		for (let round = 0; round < ROUNDS; round += 1) {
			results.floor.push(await cpuPerDelta(() => readRaw(bytes)));
			results.ours.push(await cpuPerDelta(() => readEvents(bytes, reader())));
		}
		const measure = `${DELTAS.toLocaleString("en")} deltas over ${name}: CPU each, beside the raw bytes`;
		rows.push(rowOf({ measure, ...results, unit: "µs", aim: "" }));
	}
	return rows;
}

/** Memory while 200 MB stream in, as each wire reads them: at the start, in the middle and at the end. */
export async function measureLongStreams(): Promise<readonly Row[]> {
	const choice = { index: 0, delta: { content: "w" } };
	const streams: readonly (readonly [string, object, () => WireReader])[] = [
		[
			"Responses",
			{ type: "response.output_text.delta", output_index: 0, delta: "w", obfuscation: PADDING },
			() => createResponsesReader("s", [], []),
		],
		["Chat Completions", { choices: [choice], obfuscation: PADDING }, () => createChatReader(new Set(), "s", [])],
	];
	const rows: Row[] = [];
	for (const [name, event, reader] of streams) {
		const samples = await sampleMemory(`data: ${JSON.stringify(event)}\n\n`, reader());
		const measure = `${LONG_STREAM_BYTES / MB} MB over ${name}: heap (resident) at start, middle, end`;
		rows.push({ measure, floor: "", ours: samples.join(", "), aim: "flat" });
	}
	return rows;
}

async function sampleMemory(event: string, reader: WireReader): Promise<readonly string[]> {
	const piece = Buffer.from(event.repeat(Math.ceil(CHUNK_BYTES / event.length)));
	const samples: string[] = [];
	const sample = (): void => {
		// Without it one sees when the collector last came by, not what is held.
		globalThis.gc?.();
		const { heapUsed, rss } = process.memoryUsage();
		samples.push(`${(heapUsed / MB).toFixed(1)} (${(rss / MB).toFixed(0)}) MB`);
	};
	const marks = [0, LONG_STREAM_BYTES / 2, LONG_STREAM_BYTES];
	let sent = 0;
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			if (sent >= (marks[samples.length] ?? Number.POSITIVE_INFINITY)) sample();
			if (sent >= LONG_STREAM_BYTES) return controller.close();
			controller.enqueue(piece);
			sent += piece.length;
		},
	});
	try {
		for await (const _ of readAnswer(new Response(body), reader, aListener()));
	} catch (error) {
		// The stream has no proper end, and says so when all of it was read.
		if (samples.length < marks.length) throw error;
	}
	return samples;
}

async function cpuPerDelta(work: () => Promise<void>): Promise<number> {
	const start = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / DELTAS;
}

async function readRaw(bytes: Buffer): Promise<void> {
	let seen = 0;
	const reader = bodyOf(bytes).getReader();
	for (let next = await reader.read(); !next.done; next = await reader.read()) seen += next.value.length;
	if (seen !== bytes.length) throw new Error("Not all bytes were read.");
}

async function readEvents(bytes: Buffer, reader: WireReader): Promise<void> {
	let deltas = 0;
	for await (const event of readAnswer(new Response(bodyOf(bytes)), reader, aListener())) {
		if (event.type === "delta") deltas += 1;
	}
	if (deltas !== DELTAS) throw new Error(`${deltas} of ${DELTAS} deltas were read.`);
}

function bodyOf(bytes: Buffer): ReadableStream<Uint8Array> {
	let at = 0;
	return new ReadableStream({
		pull(controller) {
			if (at >= bytes.length) return controller.close();
			controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES));
			at += CHUNK_BYTES;
		},
	});
}
