import { say } from "../../../protocol/say.ts";
import { ModelFailure } from "../../port.ts";
import { MAX_REFUSAL_CHARS, normalizeRefusal } from "../refusals/refusal.ts";
import { createSseDecoder, MAX_EVENT_CHARS, type SseDecoder } from "./sse.ts";

/** One message of an answer. */
export type Message =
	| { readonly kind: "message"; readonly value: unknown }
	/** Chat Completions ends its stream with a special marker. */
	| { readonly kind: "done" }
	/** A comment or an empty event: the server is still there. */
	| { readonly kind: "alive" }
	| { readonly kind: "nonsense" };

/** Time for the body of a refusal; its status is known already. */
const REFUSAL_MS = 5_000;

/** Messages that are read before other tasks get a turn. */
const PIECE_MESSAGES = 50;

/** The messages of an answer: a stream of events, or one JSON value from a server that does not stream. */
export async function* openBody(response: Response): AsyncGenerator<Message> {
	const decoder = createSseDecoder();
	const parts: Uint8Array[] = [];
	// Ignores the content type: servers send either form under the other's name.
	let isJson: boolean | undefined;
	let size = 0;
	let count = 0;
	for await (const bytes of readBody(response)) {
		isJson ??= beginsJson(bytes);
		if (isJson !== true) {
			for (const message of readEvents(decoder, bytes)) {
				yield message;
				count += 1;
				// Buffered messages are read without a pause otherwise, and a flood of them would delay Stop.
				if (count % PIECE_MESSAGES === 0) await new Promise(setImmediate);
			}
		}
		if (isJson === false) continue;
		parts.push(bytes);
		size += bytes.length;
		if (size > MAX_EVENT_CHARS) return yield { kind: "nonsense" };
	}
	if (isJson) return yield read(new TextDecoder().decode(Buffer.concat(parts)));
	const rest = decoder.rest();
	const last = rest === undefined ? undefined : read(rest);
	// Data that is cut off is not a message; data that only lacks its empty line is.
	if (last !== undefined && last.kind !== "nonsense") yield last;
}

/** A refusal with a body of limited length, in the shape that the provider library reads. */
export async function withReadableRefusal(response: Response): Promise<Response> {
	if (response.ok) return response;
	const text = await readSome(response);
	// `Response` does not accept statuses outside the standard.
	const status = Math.min(response.status, 599);
	const body = text === "" ? undefined : JSON.stringify(normalizeRefusal(text));
	return new Response(body, { status, headers: withoutLength(response.headers) });
}

/** Fails if an answer is longer than any legitimate one. */
export function withBoundedBody(response: Response, maxBytes: number): Response {
	let left = maxBytes;
	const bound = new TransformStream<Uint8Array, Uint8Array>({
		transform(bytes, out) {
			left -= bytes.length;
			if (left >= 0) out.enqueue(bytes);
			else out.error(new ModelFailure("bad-stream", say("answer-too-long"), { retryable: false }));
		},
	});
	const { status, headers } = response;
	return new Response(response.body?.pipeThrough(bound), { status, headers });
}

function* readEvents(decoder: SseDecoder, bytes: Uint8Array): Generator<Message> {
	const before = decoder.comments();
	for (const data of decoder.push(bytes)) yield read(data);
	if (decoder.comments() > before) yield { kind: "alive" };
}

const BLANK = new Set([0xef, 0xbb, 0xbf, ...Buffer.from(" \t\r\n")]);
const JSON_STARTS = new Set(Buffer.from("{["));

/** Whether a body is JSON, by its first significant byte; undefined if there is none yet. */
function beginsJson(bytes: Uint8Array): boolean | undefined {
	const first = bytes.find((byte) => !BLANK.has(byte));
	return first === undefined ? undefined : JSON_STARTS.has(first);
}

/** The beginning of a body, as far as it arrives in time. */
async function readSome(response: Response): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	const reading = (async () => {
		for await (const bytes of readBody(response)) {
			text += decoder.decode(bytes, { stream: true });
			if (text.length >= MAX_REFUSAL_CHARS) return;
		}
	})();
	// Losing the connection here changes nothing: the request was refused.
	const late = Promise.withResolvers<void>();
	const timer = setTimeout(late.resolve, REFUSAL_MS);
	await Promise.race([reading.catch(() => undefined), late.promise]);
	clearTimeout(timer);
	return text;
}

function read(data: string): Message {
	const text = data.trim();
	if (text === "[DONE]") return { kind: "done" };
	if (text === "") return { kind: "alive" };
	try {
		return { kind: "message", value: JSON.parse(text) };
	} catch {
		return { kind: "nonsense" };
	}
}

/** The bytes of a body. After the reader stops, errors of the connection are ignored. */
async function* readBody(response: Response): AsyncGenerator<Uint8Array> {
	const reader = response.body?.getReader();
	if (reader === undefined) return;
	try {
		for (;;) {
			const { value, done } = await reader.read();
			if (done) return;
			yield value;
		}
	} finally {
		reader.cancel().catch(() => undefined);
	}
}

// The body was decoded and rewritten, so its old length and encoding are no longer true.
function withoutLength(headers: Headers): Headers {
	const kept = new Headers(headers);
	for (const name of ["content-length", "content-encoding", "transfer-encoding"]) kept.delete(name);
	return kept;
}
