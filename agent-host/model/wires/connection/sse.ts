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
	let line: string[] = [];
	const data: string[] = [];
	let chars = 0;
	let bytesSeen = 0;
	let comments = 0;
	let afterCarriageReturn = false;

	const endLine = (tail: string): string | undefined => {
		const whole = line.length === 0 ? tail : line.join("") + tail;
		line = [];
		if (whole !== "") {
			const value = readData(whole);
			if (whole.startsWith(":")) comments += 1;
			if (value === undefined) chars -= whole.length;
			else data.push(value);
			return undefined;
		}
		chars = 0;
		if (data.length === 0) return undefined;
		const event = data.join("\n");
		data.length = 0;
		return event;
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
				const event = endLine(text.slice(from, end));
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
			const last = line.length === 0 ? undefined : readData(line.join(""));
			const all = last === undefined ? data : [...data, last];
			return all.length === 0 ? undefined : all.join("\n");
		},
		comments: () => comments,
	};
}

/** The data of a line; undefined for comments and other fields. */
function readData(line: string): string | undefined {
	if (line === "data") return "";
	if (!line.startsWith("data:")) return undefined;
	return line.charCodeAt(5) === 32 ? line.slice(6) : line.slice(5);
}

function tooLarge(sentence: "event-too-large" | "answer-too-large", limit: number): ModelFailure {
	return new ModelFailure("bad-stream", say(sentence, { megabytes: limit / 1024 / 1024 }), { retryable: false });
}
