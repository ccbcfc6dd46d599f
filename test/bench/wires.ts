import { readAnswer, type WireReader } from "../../agent-host/model/wires/answer.ts";
import { createChatReader } from "../../agent-host/model/wires/chat/events.ts";
import { createResponsesReader } from "../../agent-host/model/wires/responses/events.ts";
import { renderChat } from "../support/fake-model-chat.ts";
import { renderResponses } from "../support/fake-model-responses.ts";
import { floods } from "../support/fake-model-steps.ts";
import { type Row, rowOf } from "./table.ts";

const DELTAS = 20_000;
const ROUNDS = 9;
const CHUNK_BYTES = 65_536;

/** CPU for each delta of an answer, read by each wire, beside reading the same bytes and doing nothing with them. */
export async function measureWires(): Promise<readonly Row[]> {
	const flood = floods(DELTAS);
	const wires: readonly (readonly [string, Iterable<unknown>, () => WireReader])[] = [
		["Responses", renderResponses(flood, "m"), () => createResponsesReader("s", [])],
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
	const { signal } = new AbortController();
	for await (const event of readAnswer(new Response(bodyOf(bytes)), reader, "http://bench", signal)) {
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
