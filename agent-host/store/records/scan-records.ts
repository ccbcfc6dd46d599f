import { crc32 } from "node:zlib";
import { CHECKSUM_CHARS } from "./record.ts";

/** What can be told about a line without parsing it. */
export interface Peek {
	readonly n: number;
	readonly at: number;
	readonly kind: string;
	/** For an event: its number, its type, and the kind of its item. */
	readonly seq: number | undefined;
	readonly type: string | undefined;
	readonly itemKind: string | undefined;
}

export interface ScannedLine {
	/** Offset in the file. */
	readonly start: number;
	/** The whole line without its line feed. Valid only until the next line is taken: the memory is reused. */
	readonly bytes: Buffer;
	/** "odd": the bytes are intact, but not in the form this release writes. */
	readonly content: Peek | "damaged" | "odd";
}

// The order of the fields is the order in which this code writes them.
const BEGINNING =
	/\{"v":1,"n":(\d+),"at":([\d.]+),"body":\{"kind":"(\w+)"(?:,"seq":(\d+),"event":\{"type":"(\w+)"(?:,"turnId":"[^"]*","item":\{"kind":"(\w+)")?)?/y;
/** No host gets this far; larger numbers would not be exact. */
const MAX_NUMBER = 1e12;
/** The last moment that a date can represent. */
const MAX_TIME = 8.64e15;
/** Enough of a line for the expression above. */
const BEGINNING_BYTES = 300;

/** Checks a line's checksum over its raw bytes and reads what it is about. */
export function scanLine(start: number, bytes: Buffer): ScannedLine {
	return { start, bytes, content: peekAt(bytes) };
}

/** The JSON of an intact line. */
export function readJson(line: Pick<ScannedLine, "bytes">): string {
	return line.bytes.toString("utf8", CHECKSUM_CHARS + 1);
}

function peekAt(bytes: Buffer): Peek | "damaged" | "odd" {
	if (bytes.length <= CHECKSUM_CHARS) return "damaged";
	const checksum = crc32(bytes.subarray(CHECKSUM_CHARS + 1)).toString(16);
	const beginning = bytes.toString("latin1", 0, BEGINNING_BYTES);
	if (!beginning.startsWith(`${checksum.padStart(CHECKSUM_CHARS, "0")} `)) return "damaged";
	BEGINNING.lastIndex = CHECKSUM_CHARS + 1;
	const match = BEGINNING.exec(beginning);
	if (match === null) return "odd";
	const [, n, at, kind = "", seq, type, itemKind] = match;
	const isCounted = Number(n) >= 1 && Number(n) <= MAX_NUMBER && Number(at) <= MAX_TIME && Number(seq ?? 1) >= 1;
	if (!isCounted) return "damaged";
	return { n: Number(n), at: Number(at), kind, seq: seq === undefined ? undefined : Number(seq), type, itemKind };
}
