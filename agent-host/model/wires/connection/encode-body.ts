import { writeWellFormed } from "./well-formed.ts";

/** A run of parts of a list is full when it has this many, or this much text. */
const RUN_PARTS = 256;
const RUN_CHARS = 32_768;
/** Of fewer parts nothing is kept for the next request. */
const FEW = 8;

interface EncodedRun {
	readonly parts: readonly unknown[];
	readonly bytes: Buffer;
}

/** Full runs, by their first part. */
const known = new WeakMap<object, EncodedRun>();

/**
 * The JSON of a request's body, in pieces to be sent one after the other. The long list in it is the conversation, which
 * the next request repeats: a full run of the very same parts is encoded once. The parts must not change.
 */
export function encodeBody(body: unknown): readonly Buffer[] {
	if (!isRecord(body) || !Object.values(body).some(isLong)) return [Buffer.from(writeWellFormed(body))];
	const pieces: Buffer[] = [];
	let text = "{";
	for (const [name, value] of Object.entries(body)) {
		if (value === undefined) continue;
		text += `${text === "{" && pieces.length === 0 ? "" : ","}${writeWellFormed(name)}:`;
		if (!isLong(value)) {
			text += writeWellFormed(value);
			continue;
		}
		pieces.push(Buffer.from(`${text}[`), ...encodeList(value));
		text = "]";
	}
	return [...pieces, Buffer.from(`${text}}`)];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isLong(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
	return Array.isArray(value) && value.length > FEW && value.every(isRecord);
}

function encodeList(parts: readonly object[]): readonly Buffer[] {
	const pieces: Buffer[] = [];
	for (let start = 0; start < parts.length; ) {
		const run = knownRun(parts, start) ?? encodeRun(parts, start);
		if (start > 0) pieces.push(COMMA);
		pieces.push(run.bytes);
		start += run.parts.length;
	}
	return pieces;
}

const COMMA = Buffer.from(",");

function knownRun(parts: readonly object[], start: number): EncodedRun | undefined {
	const first = parts[start];
	const run = first && known.get(first);
	return run?.parts.every((part, index) => part === parts[start + index]) ? run : undefined;
}

function encodeRun(parts: readonly object[], start: number): EncodedRun {
	const texts: string[] = [];
	let chars = 0;
	for (const part of parts.slice(start, start + RUN_PARTS)) {
		const text = writeWellFormed(part);
		texts.push(text);
		chars += text.length;
		if (chars >= RUN_CHARS) break;
	}
	const run = { parts: parts.slice(start, start + texts.length), bytes: Buffer.from(texts.join(",")) };
	const isFull = texts.length === RUN_PARTS || chars >= RUN_CHARS;
	const first = parts[start];
	// The last run still grows.
	if (isFull && first !== undefined) known.set(first, run);
	return run;
}
