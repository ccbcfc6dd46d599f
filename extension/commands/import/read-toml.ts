/** Tables in tables, more than a settings file has. */
const MAX_DEPTH = 32;

export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable;
export interface TomlTable {
	readonly [key: string]: TomlValue;
}

/** A table while it is read. Without a prototype: a key may have any name. */
type Open = Record<string, TomlValue>;

interface Reader {
	readonly text: string;
	at: number;
}

/** Reads the part of TOML that settings are written in; throws with the line of what it does not know, such as dates. */
export function readToml(text: string): TomlTable {
	const reader: Reader = { text: text.replaceAll("\r\n", "\n"), at: 0 };
	const root = createTable();
	let table = root;
	for (skipBlank(reader); reader.at < reader.text.length; skipBlank(reader)) {
		if (take(reader, /\[\[/y) !== undefined) {
			const path = readPath(reader);
			table = openEntry(reader, root, path);
			expect(reader, /[ \t]*\]\]/y);
		} else if (take(reader, /\[/y) !== undefined) {
			table = openTable(reader, root, readPath(reader));
			expect(reader, /[ \t]*\]/y);
		} else readPair(reader, table, 0);
		expect(reader, /[ \t]*(?:#[^\n]*)?(?:\n|$)/y);
	}
	return root;
}

function readPair(reader: Reader, table: Open, depth: number): void {
	const path = readPath(reader);
	expect(reader, /[ \t]*=[ \t]*/y);
	const name = path.at(-1) ?? "";
	const inner = openTable(reader, table, path.slice(0, -1));
	if (name in inner) fail(reader);
	inner[name] = readValue(reader, depth);
}

function readPath(reader: Reader): readonly string[] {
	const path: string[] = [];
	do {
		take(reader, /[ \t]+/y);
		path.push(take(reader, /[A-Za-z0-9_-]+/y) ?? readText(reader) ?? fail(reader));
	} while (take(reader, /[ \t]*\./y) !== undefined);
	return path;
}

function openTable(reader: Reader, from: Open, path: readonly string[]): Open {
	if (path.length > MAX_DEPTH) fail(reader);
	return path.reduce<Open>((table, name) => {
		table[name] ??= createTable();
		const found = table[name];
		const inner = Array.isArray(found) ? found.at(-1) : found;
		return isTable(inner) ? (inner as Open) : fail(reader);
	}, from);
}

function openEntry(reader: Reader, root: Open, path: readonly string[]): Open {
	const holder = openTable(reader, root, path.slice(0, -1));
	const name = path.at(-1) ?? "";
	const known = holder[name] ?? [];
	if (!Array.isArray(known)) return fail(reader);
	const entry = createTable();
	holder[name] = [...known, entry];
	return entry;
}

function readValue(reader: Reader, depth: number): TomlValue {
	if (depth > MAX_DEPTH) fail(reader);
	const text = readText(reader);
	if (text !== undefined) return text;
	const word = take(reader, /true\b|false\b/y);
	if (word !== undefined) return word === "true";
	if (take(reader, /\[/y) !== undefined) return readList(reader, depth);
	if (take(reader, /\{/y) !== undefined) return readInline(reader, depth);
	const number = take(reader, /[+-]?\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?(?![\w:.-])/y) ?? fail(reader);
	return Number(number.replaceAll("_", ""));
}

function readList(reader: Reader, depth: number): readonly TomlValue[] {
	const list: TomlValue[] = [];
	for (skipBlank(reader); take(reader, /\]/y) === undefined; skipBlank(reader)) {
		list.push(readValue(reader, depth + 1));
		skipBlank(reader);
		if (take(reader, /,/y) === undefined) {
			expect(reader, /\]/y);
			return list;
		}
	}
	return list;
}

function readInline(reader: Reader, depth: number): TomlTable {
	const table = createTable();
	if (take(reader, /[ \t]*\}/y) !== undefined) return table;
	do readPair(reader, table, depth + 1);
	while (take(reader, /[ \t]*,/y) !== undefined);
	expect(reader, /[ \t]*\}/y);
	return table;
}

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };

function readText(reader: Reader): string | undefined {
	const literal = take(reader, /'''[\s\S]*?'''/y);
	if (literal !== undefined) return literal.slice(3, -3).replace(/^\n/, "");
	const long = take(reader, /"""(?:[^\\]|\\[\s\S])*?"""/y);
	if (long !== undefined)
		return readEscapes(
			reader,
			long
				.slice(3, -3)
				.replace(/^\n/, "")
				.replaceAll(/\\\s*\n\s*/g, ""),
		);
	const plain = take(reader, /'[^'\n]*'/y);
	if (plain !== undefined) return plain.slice(1, -1);
	const quoted = take(reader, /"(?:[^"\\\n]|\\.)*"/y);
	return quoted === undefined ? undefined : readEscapes(reader, quoted.slice(1, -1));
}

function readEscapes(reader: Reader, text: string): string {
	return text.replaceAll(
		/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/g,
		(_, short, long, one: string | undefined) => {
			const code = Number.parseInt(short ?? long ?? "", 16);
			if (one === undefined) return code <= 0x10_ff_ff ? String.fromCodePoint(code) : fail(reader);
			return ESCAPES[one] ?? fail(reader);
		},
	);
}

function skipBlank(reader: Reader): void {
	take(reader, /(?:[ \t\n]|#[^\n]*)+/y);
}

function take(reader: Reader, pattern: RegExp): string | undefined {
	pattern.lastIndex = reader.at;
	const found = pattern.exec(reader.text)?.[0];
	reader.at += found?.length ?? 0;
	return found;
}

function expect(reader: Reader, pattern: RegExp): void {
	if (take(reader, pattern) === undefined) fail(reader);
}

function fail({ text, at }: Reader): never {
	throw new TomlError(text.slice(0, at).split("\n").length);
}

/** What cannot be read is in this line, counted from 1. */
export class TomlError extends Error {
	readonly line: number;

	constructor(line: number) {
		super(`Line ${line} cannot be read.`);
		this.line = line;
	}
}

export function isTable(value: TomlValue | undefined): value is TomlTable {
	return typeof value === "object" && !Array.isArray(value);
}

function createTable(): Open {
	return Object.create(null);
}
