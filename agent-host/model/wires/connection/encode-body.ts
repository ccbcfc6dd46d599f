import { writeWellFormed } from "./well-formed.ts";

/** Parts of a list that are encoded together. */
const RUN = 256;

interface EncodedRun {
	readonly parts: readonly unknown[];
	readonly bytes: Buffer;
}

/** By their first part. */
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

function isLong(value: unknown): value is readonly unknown[] {
	return Array.isArray(value) && value.length > RUN;
}

function encodeList(parts: readonly unknown[]): readonly Buffer[] {
	const pieces: Buffer[] = [];
	for (let start = 0; start < parts.length; start += RUN) {
		if (start > 0) pieces.push(COMMA);
		pieces.push(encodeRun(parts.slice(start, start + RUN)));
	}
	return pieces;
}

const COMMA = Buffer.from(",");

function encodeRun(parts: readonly unknown[]): Buffer {
	const first: unknown = parts[0];
	const before = isRecord(first) ? known.get(first) : undefined;
	if (before !== undefined && parts.every((part, index) => part === before.parts[index])) return before.bytes;
	const bytes = Buffer.from(writeWellFormed(parts).slice(1, -1));
	// The last run still grows.
	if (parts.length === RUN && isRecord(first)) known.set(first, { parts, bytes });
	return bytes;
}
