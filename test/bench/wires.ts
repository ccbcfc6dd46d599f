// The APIs of model servers beside each other: `node --expose-gc test/bench/wires.ts` prints these tables alone.
import type { HistoryItem } from "../../agent-host/history/history-item.ts";
import { createServerMemory } from "../../agent-host/model/memory.ts";
import type { ModelEvent, ModelRequest } from "../../agent-host/model/port.ts";
import { buildRequest } from "../../agent-host/model/request.ts";
import { wireBody } from "../../agent-host/model/wire-body.ts";
import { createChatReader } from "../../agent-host/model/wires/chat/chat-events.ts";
import { readAnswer, type WireReader } from "../../agent-host/model/wires/connection/answer.ts";
import { createSseDecoder } from "../../agent-host/model/wires/connection/sse.ts";
import { createGeminiReader } from "../../agent-host/model/wires/gemini/gemini-events.ts";
import { createMessagesReader } from "../../agent-host/model/wires/messages/messages-events.ts";
import { createResponsesReader } from "../../agent-host/model/wires/responses/responses-events.ts";
import { TOOLS } from "../../agent-host/tools/catalog.ts";
import { anEnvelope } from "../support/an-envelope.ts";
import { renderChat } from "../support/fake-model-chat.ts";
import type { Gate } from "../support/fake-model-gate.ts";
import { renderGemini } from "../support/fake-model-gemini.ts";
import { renderMessages } from "../support/fake-model-messages.ts";
import { renderResponses } from "../support/fake-model-responses.ts";
import { floods, type Reply, says } from "../support/fake-model-steps.ts";
import { aListener } from "../support/read-stream.ts";
import { type Row, renderTable, rowOf } from "./table.ts";

const DELTAS = 20_000;
const FLOOD = floods(DELTAS);
const ROUNDS = 9;
const CHUNK_BYTES = 65_536;
const MB = 1_048_576;
const LONG_STREAM_BYTES = 200 * MB;
/** What servers add to each delta beside the text: identities, probabilities, padding against eavesdroppers. */
const PADDING = "p".repeat(2_000);

/** The APIs, with what they stream and what reads it. */
const WIRES = [
	["Responses", "responses", renderResponses, () => createResponsesReader("s", [], [])],
	[
		"Chat Completions",
		"chat",
		(reply: Reply, model: string) => renderChat(reply, model, true),
		() => createChatReader(new Set(), "s", []),
	],
	["Messages", "messages", renderMessages, () => createMessagesReader(new Set(), "s", [])],
	["Gemini", "gemini", renderGemini, () => createGeminiReader(new Set(), "s", [])],
] as const;

/** CPU for each delta of an answer, read by each wire, beside splitting the same bytes into events and parsing those. */
export async function measureWires(): Promise<readonly Row[]> {
	const rows: Row[] = [];
	for (const [name, , render, reader] of WIRES) {
		const bytes = Buffer.from([...render(FLOOD, "m")].join(""));
		const results: { floor: number[]; ours: number[] } = { floor: [], ours: [] };
		for (let round = 0; round < ROUNDS; round += 1) {
			results.floor.push(await cpuPerDelta(() => readJson(bytes)));
			results.ours.push(await cpuPerDelta(() => readEvents(bytes, reader())));
		}
		const measure = `${name}: CPU for each of ${DELTAS.toLocaleString("en")} deltas, beside parsing the events`;
		rows.push(rowOf({ measure, ...results, unit: "µs", aim: "" }));
	}
	return rows;
}

/** Bytes of the same request as each wire sends it, beside the bare text of instructions, tools and conversation. */
export async function measureRequests(): Promise<readonly Row[]> {
	const request = buildRequest(anEnvelope({ request: { tools: TOOLS } }), CONVERSATION, TOOLS);
	const memory = createServerMemory({ servers: {} }, () => undefined, Date.now);
	const floor = [Buffer.byteLength(bareText(request))];
	const rows: Row[] = [];
	for (const [name, wire] of WIRES) {
		const place = { provider: "compatible", wire, baseUrl: "http://127.0.0.1/v1", auth: "apiKey" } as const;
		const body = await wireBody(place, request, memory);
		const ours = [Buffer.byteLength(JSON.stringify(body))];
		rows.push(
			rowOf({ measure: `${name}: a request of ${CONVERSATION.length} items`, floor, ours, unit: "bytes", aim: "" }),
		);
	}
	return rows;
}

/** Ten rounds of a question, a call, its output and an answer. */
const CONVERSATION: readonly HistoryItem[] = Array.from({ length: 10 }, (_, round): readonly HistoryItem[] => [
	{ kind: "userMessage", text: `Question ${round}: where is the price of an item worked out?` },
	{ kind: "toolCall", callId: `call_${round}`, name: "read_file", arguments: `{"path":"src/part-${round}.ts"}` },
	{ kind: "toolOutput", callId: `call_${round}`, output: "export const price = 1;\n".repeat(60) },
	{ kind: "agentMessage", text: "It is worked out in the file that I have read. ".repeat(5) },
]).flat();

function bareText({ instructions, tools, input }: ModelRequest): string {
	const said = input.map((item) => {
		if (item.kind === "toolCall") return item.name + item.arguments;
		if (item.kind === "toolOutput") return item.output;
		return "text" in item ? item.text : "";
	});
	const offered = tools.map(({ name, description, parameters }) => name + description + JSON.stringify(parameters));
	return [instructions, ...offered, ...said].join("\n");
}

/** Memory while 200 MB stream in, as each wire reads them: at the start, in the middle and at the end. */
export async function measureLongStreams(): Promise<readonly Row[]> {
	const rows: Row[] = [];
	for (const [name, , render, reader] of WIRES) {
		const samples = await sampleMemory(padded([...render(says("w"), "m")]), reader());
		const measure = `${LONG_STREAM_BYTES / MB} MB over ${name}: heap (resident) at start, middle, end`;
		rows.push({ measure, floor: "", ours: samples.join(", "), aim: "flat" });
	}
	return rows;
}

interface LongStream {
	/** Everything before the first text. */
	readonly head: string;
	/** The event that has the text, with what servers add to it. */
	readonly event: string;
}

function padded(frames: readonly (string | Gate)[]): LongStream {
	const texts = frames.filter((frame) => typeof frame === "string");
	const at = texts.findIndex((frame) => /[:"]w"/.test(frame));
	const event = texts[at]?.replace("data: {", `data: {"obfuscation":"${PADDING}",`);
	if (event === undefined) throw new Error("No event has the text.");
	// The same number again would be a repetition.
	return { head: texts.slice(0, at).join(""), event: event.replace(/,"sequence_number":\d+/, "") };
}

async function sampleMemory({ head, event }: LongStream, reader: WireReader): Promise<readonly string[]> {
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
	let texts = 0;
	const body = new ReadableStream<Uint8Array>({
		start: (controller) => controller.enqueue(Buffer.from(head || "\n")),
		pull(controller) {
			if (sent >= (marks[samples.length] ?? Number.POSITIVE_INFINITY)) sample();
			if (sent >= LONG_STREAM_BYTES) return controller.close();
			controller.enqueue(piece);
			sent += piece.length;
		},
	});
	try {
		for await (const events of readAnswer(body, reader, aListener())) texts += textIn(events).length;
	} catch (error) {
		// The stream has no proper end, and says so when all of it was read.
		if (samples.length < marks.length) throw error;
	}
	if (texts < LONG_STREAM_BYTES / event.length) throw new Error(`Only ${texts} texts were read.`);
	return samples;
}

async function cpuPerDelta(work: () => Promise<void>): Promise<number> {
	const start = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / DELTAS;
}

/** The least that a reader of events can do. */
async function readJson(bytes: Buffer): Promise<void> {
	const decoder = createSseDecoder();
	let seen = 0;
	for await (const chunk of bodyOf(bytes)) {
		for (const data of decoder.push(chunk)) if (data !== "[DONE]" && JSON.parse(data) !== undefined) seen += 1;
	}
	if (seen < DELTAS) throw new Error(`${seen} events were read.`);
}

async function readEvents(bytes: Buffer, reader: WireReader): Promise<void> {
	let text = "";
	for await (const events of readAnswer(bodyOf(bytes), reader, aListener())) text += textIn(events);
	if (text !== FLOOD.text) throw new Error("The text of a flood is not what was sent.");
}

function textIn(events: readonly ModelEvent[]): string {
	return events.map((event) => (event.type === "delta" ? event.text : "")).join("");
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

if (import.meta.main) {
	console.log(renderTable([...(await measureRequests()), ...(await measureWires())]));
	console.log(renderTable(await measureLongStreams()));
}
