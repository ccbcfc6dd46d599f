import { MAX_MESSAGE_MB } from "./stdio-transport.ts";

const TOO_LONG = `It sent a message of more than ${MAX_MESSAGE_MB} MB.`;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The same answer, which ends in an error where a message is too long: the library would hold all of it. It goes on waiting
 * when a stream ends so, and `leave` ends that.
 */
export function limitMessages(answer: Response, leave: () => void): Response {
	if (answer.body === null) return answer;
	const isStream = /^text\/event-stream\b/i.test(answer.headers.get("content-type") ?? "");
	const count = isStream ? countEvent() : countAll();
	const limit = new TransformStream<Uint8Array, Uint8Array>({
		transform: (chunk, to) => {
			if (count(chunk) <= MAX_MESSAGE_MB * 1024 * 1024) return to.enqueue(chunk);
			if (isStream) leave();
			throw new Error(TOO_LONG);
		},
	});
	return new Response(answer.body.pipeThrough(limit), answer);
}

/** The bytes so far, with those of the next chunk. */
type Count = (chunk: Uint8Array) => number;

function countAll(): Count {
	let bytes = 0;
	return (chunk) => {
		bytes += chunk.length;
		return bytes;
	};
}

/** The bytes of the event that is open: an empty line ends one. */
function countEvent(): Count {
	let [event, line, last] = [0, 0, 0];
	return (chunk) => {
		let from = 0;
		for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
			const length = line + at - from;
			const isEmpty = length === 0 || (length === 1 && (chunk[at - 1] ?? last) === CARRIAGE_RETURN);
			event = isEmpty ? 0 : event + length;
			line = 0;
			from = at + 1;
		}
		line += chunk.length - from;
		last = chunk.at(-1) ?? last;
		return event + line;
	};
}
