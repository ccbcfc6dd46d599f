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
		const [whole = ""] = WHOLE_CHARACTERS.exec(rest) ?? [];
		rest = rest.slice(whole.length);
		if (rest.startsWith('"')) state = "over";
		return decode(whole);
	};
}

const WHOLE_CHARACTERS = /^(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/;

function decode(text: string): string {
	// Some servers leave line ends as they are.
	return JSON.parse(`"${text.replaceAll(/\p{Cc}/gu, (one) => JSON.stringify(one).slice(1, -1))}"`);
}
