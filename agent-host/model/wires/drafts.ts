import type { ModelEvent, ToolSpecification } from "../port.ts";

type Draft = Extract<ModelEvent, { type: "draft" | "working" }>;

/** A piece of a call, as the wire brings it. */
export interface CallPart {
	readonly key: string;
	readonly name: string;
	readonly text: string;
	/** The call is plain text, or arguments in JSON that hold it. */
	readonly form: "text" | "json";
}

/** Shows the text of a call while it is written. Whatever it says, the call itself is read whole and anew. */
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

/** Characters before the text in which its field must have been named. */
const MAX_HEAD_CHARS = 200;

/** Reads the text of the first field of a JSON object that comes in pieces; nothing when it is another field. */
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
		// The end of the text, or an escape that is none: what follows it is never shown.
		if (rest.startsWith('"') || rest.length >= ESCAPE_CHARS) state = "over";
		return decode(whole);
	};
}

/** Of the longest escape, such as \u00e9. */
const ESCAPE_CHARS = 6;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** How far a piece of a JSON string goes without breaking a character; one step for each escape, so that no stack grows with it. */
function endOfWhole(text: string): number {
	const [quote, first] = [text.indexOf('"'), text.indexOf("\\")];
	let [at, slash] = [0, first];
	let stop = quote;
	while (slash >= 0 && (stop < 0 || slash < stop)) {
		ESCAPE.lastIndex = slash;
		if (!ESCAPE.test(text)) return slash;
		at = ESCAPE.lastIndex;
		slash = text.indexOf("\\", at);
		// The quote may have been part of the escape.
		if (stop >= 0 && stop < at) stop = text.indexOf('"', at);
	}
	return stop < 0 ? text.length : stop;
}

function decode(text: string): string {
	// Some servers leave line ends as they are.
	return JSON.parse(`"${text.replaceAll(/\p{Cc}/gu, (one) => JSON.stringify(one).slice(1, -1))}"`);
}
