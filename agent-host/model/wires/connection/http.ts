import { APIError } from "openai/core/error";
import { say } from "../../../protocol/say.ts";
import { ModelFailure } from "../../port.ts";
import { MAX_REFUSAL_CHARS, normalizeRefusal } from "../refusals/refusal.ts";
import { createSseDecoder, MAX_EVENT_CHARS, type SseDecoder } from "./sse.ts";
import type { ServerAnswer } from "./transmit.ts";

// What the data of an event is if it is no message. No JSON value is a symbol.
/** Chat Completions ends its stream with a special marker. */
export const DONE = Symbol("done");
/** Nothing: the server is still there. */
export const ALIVE = Symbol("alive");
export const NONSENSE = Symbol("nonsense");

/** Time for the body of a refusal; its status is known already. */
const REFUSAL_MS = 5_000;

/** Events that are read before other tasks get a turn. */
const EVENTS_AT_ONCE = 500;

/** Data that is no message. */
const NO_MESSAGE = "?";

/**
 * The data of the events of an answer, of those together that arrived together. A server that does not stream sends one
 * JSON value, which is the data of the only event.
 */
export async function* openBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
	const decoder = createSseDecoder();
	const parts: Uint8Array[] = [];
	// Ignores the content type: servers send either form under the other's name.
	let isJson: boolean | undefined;
	let size = 0;
	let count = 0;
	for await (const bytes of body) {
		isJson ??= beginsJson(bytes);
		if (isJson !== true) {
			const events = readEvents(decoder, bytes);
			if (events.length > 0) yield events;
			count += events.length;
			// Buffered events are read without a pause otherwise, and a flood of them would delay Stop.
			if (count >= EVENTS_AT_ONCE) {
				count = 0;
				await new Promise(setImmediate);
			}
		}
		if (isJson === false) continue;
		parts.push(bytes);
		size += bytes.length;
		if (size > MAX_EVENT_CHARS) return yield [NO_MESSAGE];
	}
	if (isJson) {
		const whole = new TextDecoder().decode(Buffer.concat(parts));
		return yield [isMessage(whole) ? whole : NO_MESSAGE];
	}
	// Data that is cut off is not a message; data that only lacks its empty line is.
	const rest = decoder.rest();
	const last = rest === undefined ? [] : (isMessage(rest) ? [rest] : rest.split("\n")).filter(isMessage);
	if (last.length > 0) yield last;
}

/** The message in the data of an event. */
export function readMessage(data: string): unknown {
	const text = data.trim();
	if (text === "[DONE]") return DONE;
	if (text === "") return ALIVE;
	try {
		return JSON.parse(text);
	} catch {
		return NONSENSE;
	}
}

function isMessage(data: string): boolean {
	return readMessage(data) !== NONSENSE;
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

/** Comments say as much as an event without data. */
function readEvents(decoder: SseDecoder, bytes: Uint8Array): readonly string[] {
	const before = decoder.comments();
	const events = decoder.push(bytes);
	return decoder.comments() > before ? [...events, ""] : events;
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
