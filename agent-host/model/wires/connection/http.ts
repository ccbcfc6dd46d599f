import { APIError } from "openai/core/error";
import { say } from "../../../protocol/say.ts";
import { ModelFailure } from "../../port.ts";
import { MAX_REFUSAL_CHARS, normalizeRefusal } from "../refusals/refusal.ts";
import { createSseDecoder, MAX_EVENT_CHARS, type SseDecoder } from "./sse.ts";
import type { ServerAnswer } from "./transmit.ts";

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
const MESSAGES_AT_ONCE = 500;

/**
 * The messages of an answer, those together that arrived together: a stream of events, or one JSON value from a server
 * that does not stream.
 */
export async function* openBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Message[]> {
	const decoder = createSseDecoder();
	const parts: Uint8Array[] = [];
	// Ignores the content type: servers send either form under the other's name.
	let isJson: boolean | undefined;
	let size = 0;
	let count = 0;
	for await (const bytes of body) {
		isJson ??= beginsJson(bytes);
		if (isJson !== true) {
			const messages = readEvents(decoder, bytes);
			if (messages.length > 0) yield messages;
			count += messages.length;
			// Buffered messages are read without a pause otherwise, and a flood of them would delay Stop.
			if (count >= MESSAGES_AT_ONCE) {
				count = 0;
				await new Promise(setImmediate);
			}
		}
		if (isJson === false) continue;
		parts.push(bytes);
		size += bytes.length;
		if (size > MAX_EVENT_CHARS) return yield [{ kind: "nonsense" }];
	}
	if (isJson) return yield [read(new TextDecoder().decode(Buffer.concat(parts)))];
	// Data that is cut off is not a message; data that only lacks its empty line is.
	const rest = decoder.rest();
	const last = rest === undefined ? [] : readData(rest).filter(({ kind }) => kind !== "nonsense");
	if (last.length > 0) yield last;
}

/** A refusal with as much of its body as is needed to understand it. */
export async function readRefused({ status, headers, body }: ServerAnswer): Promise<APIError> {
	const text = await readSome(body);
	// The library only gets single headers; the standard class would load all of Node's `fetch`.
	return APIError.generate(status, text === "" ? undefined : normalizeRefusal(text), undefined, headers as Headers);
}

/** The JSON value of a body; undefined if it is something else, such as a page. Fails if it is too long. */
export async function readJson(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<unknown> {
	const parts: Uint8Array[] = [];
	let left = maxBytes;
	for await (const bytes of body) {
		left -= bytes.length;
		if (left < 0) throw new ModelFailure("bad-stream", say("answer-too-long"), { retryable: false });
		parts.push(bytes);
	}
	const whole = Buffer.concat(parts);
	return beginsJson(whole) ? JSON.parse(new TextDecoder().decode(whole)) : undefined;
}

function readEvents(decoder: SseDecoder, bytes: Uint8Array): readonly Message[] {
	const before = decoder.comments();
	const messages = decoder.push(bytes).flatMap(readData);
	return decoder.comments() > before ? [...messages, { kind: "alive" }] : messages;
}

const BLANK = new Set([0xef, 0xbb, 0xbf, ...Buffer.from(" \t\r\n")]);
const JSON_STARTS = new Set(Buffer.from("{["));

/** Whether a body is JSON, by its first significant byte; undefined if there is none yet. */
function beginsJson(bytes: Uint8Array): boolean | undefined {
	const first = bytes.find((byte) => !BLANK.has(byte));
	return first === undefined ? undefined : JSON_STARTS.has(first);
}

/** The beginning of a body, as far as it arrives in time. */
async function readSome(body: AsyncIterable<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	const reading = (async () => {
		for await (const bytes of body) {
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

/** The messages in the data of an event: one, unless its server has left out the empty lines between several. */
function readData(data: string): readonly Message[] {
	const whole = read(data);
	return whole.kind === "nonsense" && data.includes("\n") ? data.split("\n").map(read) : [whole];
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
