const WHITESPACE = new Set([" ", "\t", "\n", "\r"]);

export type StrictObject =
	| { readonly ok: true; readonly fields: ReadonlyMap<string, string> }
	| { readonly ok: false; readonly reason: string };

/**
 * Reads a text that is exactly one flat JSON object of strings. Stricter than JSON.parse: a repeated key and a lone
 * surrogate are errors, because another reader might pick the other value.
 */
export function readStringObject(text: string): StrictObject {
	const reader = { text, at: 0 };
	try {
		const fields = readObject(reader);
		if (reader.at < text.length) return reject("there is something after the object");
		return { ok: true, fields };
	} catch (error) {
		if (error instanceof BadJson) return reject(error.message);
		throw error;
	}
}

class BadJson extends Error {}

interface Reader {
	readonly text: string;
	at: number;
}

function readObject(reader: Reader): ReadonlyMap<string, string> {
	const fields = new Map<string, string>();
	expect(reader, "{", "it does not begin with an object");
	if (peek(reader) === "}") {
		take(reader);
		return fields;
	}
	for (;;) {
		const key = readString(reader, "a key is not a string");
		if (fields.has(key)) throw new BadJson(`the key ${JSON.stringify(key)} appears twice`);
		expect(reader, ":", "a colon is missing");
		fields.set(key, readString(reader, `the value of ${JSON.stringify(key)} is not a string`));
		if (peek(reader) === "}") break;
		expect(reader, ",", "a comma or the closing brace is missing");
	}
	take(reader);
	return fields;
}

function readString(reader: Reader, reason: string): string {
	if (peek(reader) !== '"') throw new BadJson(reason);
	const { text, at: start } = reader;
	let end = start + 1;
	while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
	if (end >= text.length) throw new BadJson("a string is not terminated");
	reader.at = end + 1;
	const value = parseString(text.slice(start, end + 1));
	if (!value.isWellFormed()) throw new BadJson("a string contains an unpaired surrogate");
	return value;
}

function parseString(json: string): string {
	try {
		// It begins and ends with a quote and contains no other unescaped one, so it can only parse as a string.
		return JSON.parse(json) as string;
	} catch {
		throw new BadJson("a string contains a raw control character or an unknown escape");
	}
}

function expect(reader: Reader, character: string, reason: string): void {
	if (peek(reader) !== character) throw new BadJson(reason);
	take(reader);
}

function peek(reader: Reader): string | undefined {
	while (WHITESPACE.has(reader.text[reader.at] ?? "")) reader.at += 1;
	return reader.text[reader.at];
}

function take(reader: Reader): void {
	reader.at += 1;
}

function reject(reason: string): StrictObject {
	return { ok: false, reason };
}
