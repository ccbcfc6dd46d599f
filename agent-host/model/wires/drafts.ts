import type { ModelEvent, ToolSpecification } from "../port.ts";

type Draft = Extract<ModelEvent, { type: "draft" | "working" }>;

/** A piece of a call from the wire. */
export interface CallPart {
	readonly key: string;
	readonly name: string;
	readonly text: string;
	/** The call is plain text, or JSON arguments that contain it. */
	readonly form: "text" | "json";
}

/** Shows the text of a call while it is written. The call itself is always parsed again from its complete text. */
export function createDrafts(tools: readonly ToolSpecification[]): (part: CallPart) => Draft {
	const readers = new Map<string, (piece: string) => string>();
	return ({ key, name, text: piece, form }) => {
		const field = tools.find((tool) => tool.name === name)?.freeForm?.field;
		if (field === undefined) return { type: "working" };
		const read = readers.get(key) ?? (form === "text" ? (text: string) => text : createFieldReader(field));
		readers.set(key, read);
		const text = read(piece);
		return text === "" ? { type: "working" } : { type: "draft", key, text };
	};
}

/** The field must be named within this many characters before its text. */
const MAX_HEAD_CHARS = 200;

/**
 * Reads the text of the first field of a JSON object that arrives in pieces; returns nothing if it is another field.
 */
function createFieldReader(field: string): (piece: string) => string {
	const head = new RegExp(`^\\s*\\{\\s*"${field}"\\s*:\\s*"`);
	let state: "head" | "text" | "over" = "head";
	let rest = "";
	return (piece) => {
		if (state === "over") return "";
		rest += piece;
		if (state === "head") {
			const found = head.exec(rest)?.[0];
			if (found === undefined) {
				if (rest.length > MAX_HEAD_CHARS) state = "over";
				return "";
			}
			state = "text";
			rest = rest.slice(found.length);
		}
		const end = endOfWhole(rest);
		const whole = rest.slice(0, end);
		rest = rest.slice(end);
		// The end of the text, or an invalid escape: nothing after it is shown.
		if (rest.startsWith('"') || rest.length >= ESCAPE_CHARS) state = "over";
		return decode(whole);
	};
}

/** Length of the longest escape, such as \u00e9. */
const ESCAPE_CHARS = 6;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * How much of a JSON string can be decoded without splitting a character or an escape. Iterative, so that the stack
 * does not grow with the number of escapes.
 */
function endOfWhole(text: string): number {
	const [quote, first] = [text.indexOf('"'), text.indexOf("\\")];
	let [at, slash] = [0, first];
	let stop = quote;
	while (slash >= 0 && (stop < 0 || slash < stop)) {
		ESCAPE.lastIndex = slash;
		if (!ESCAPE.test(text)) return slash;
		at = ESCAPE.lastIndex;
		slash = text.indexOf("\\", at);
		// The quote may be part of the escape.
		if (stop >= 0 && stop < at) stop = text.indexOf('"', at);
	}
	return stop < 0 ? text.length : stop;
}

function decode(text: string): string {
	// Some servers do not escape line ends.
	return JSON.parse(`"${text.replaceAll(/\p{Cc}/gu, (one) => JSON.stringify(one).slice(1, -1))}"`);
}
