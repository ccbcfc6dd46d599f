import { say } from "../../../protocol/say.ts";
import { ModelFailure } from "../../port.ts";

/** Limit for one event. No model says so much at once; a server that does is cut off. */
export const MAX_EVENT_CHARS = 16 * 1024 * 1024;
/** Limit for the bytes of one answer. */
export const MAX_STREAM_BYTES = 256 * 1024 * 1024;

/** Splits a stream of server-sent events into the data of each event, however the bytes are chunked. Linear time. */
export interface SseDecoder {
	/** The data of every event that these bytes complete. */
	readonly push: (bytes: Uint8Array) => readonly string[];
	/** Data of an event without a closing empty line: only its reader can tell whether it is complete. */
	readonly rest: () => string | undefined;
	/** Number of comments so far: they only show that the server is alive. */
	readonly comments: () => number;
}

export function createSseDecoder(): SseDecoder {
	// Strips a byte-order mark and buffers incomplete characters.
	const decoder = new TextDecoder();
	/** The beginning of a line whose end has not arrived. */
	let line: string[] = [];
	/** The data of the event so far: nearly always one line. */
	let first: string | undefined;
	let more: string[] = [];
	let chars = 0;
	let bytesSeen = 0;
	let comments = 0;
	let afterCarriageReturn = false;

	/** Reads one line of a text; only data is taken out of it. */
	const endLine = (text: string, from: number, end: number): string | undefined => {
		if (from === end) return endEvent();
		if (text.charCodeAt(from) === COLON) comments += 1;
		const value = readData(text, from, end);
		if (value === undefined) chars -= end - from;
		else if (first === undefined) first = value;
		else more.push(value);
		return undefined;
	};
	const endEvent = (): string | undefined => {
		const event = more.length === 0 ? first : [first, ...more].join("\n");
		chars = 0;
		first = undefined;
		if (more.length > 0) more = [];
		return event;
	};
	/** Ends a line of which pieces came before. */
	const endPieces = (tail: string): string | undefined => {
		const whole = line.join("") + tail;
		line = [];
		return endLine(whole, 0, whole.length);
	};
	const count = (added: number): void => {
		chars += added;
		if (chars > MAX_EVENT_CHARS) throw tooLarge("event-too-large", MAX_EVENT_CHARS);
	};

	return {
		push(bytes) {
			bytesSeen += bytes.length;
			if (bytesSeen > MAX_STREAM_BYTES) throw tooLarge("answer-too-large", MAX_STREAM_BYTES);
			const text = decoder.decode(bytes, { stream: true });
			const events: string[] = [];
			let from = 0;
			let feed = text.indexOf("\n");
			let carriage = text.indexOf("\r");
			for (;;) {
				if (afterCarriageReturn && from < text.length) {
					afterCarriageReturn = false;
					if (text[from] === "\n") from += 1;
				}
				if (feed >= 0 && feed < from) feed = text.indexOf("\n", from);
				if (carriage >= 0 && carriage < from) carriage = text.indexOf("\r", from);
				const end = carriage < 0 || (feed >= 0 && feed < carriage) ? feed : carriage;
				if (end < 0) break;
				count(end - from);
				const event = line.length === 0 ? endLine(text, from, end) : endPieces(text.slice(from, end));
				if (event !== undefined) events.push(event);
				afterCarriageReturn = end === carriage;
				from = end + 1;
			}
			if (from < text.length) {
				count(text.length - from);
				line.push(text.slice(from));
			}
			return events;
		},
		rest() {
			return endPieces("") ?? endEvent();
		},
		comments: () => comments,
	};
}

const COLON = 58;
const SPACE = 32;

/** The data of a line; undefined for comments and other fields. */
function readData(text: string, from: number, end: number): string | undefined {
	if (!text.startsWith("data", from)) return undefined;
	const colon = from + "data".length;
	if (colon === end) return "";
	if (text.charCodeAt(colon) !== COLON) return undefined;
	return text.slice(text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1, end);
}

function tooLarge(sentence: "event-too-large" | "answer-too-large", limit: number): ModelFailure {
	return new ModelFailure("bad-stream", say(sentence, { megabytes: limit / 1024 / 1024 }), { retryable: false });
}
