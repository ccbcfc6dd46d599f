import { crc32 } from "node:zlib";
import { CHECKSUM_CHARS } from "./record.ts";

/** What can be told of a line without parsing it. */
export interface Peek {
	readonly n: number;
	readonly at: number;
	readonly kind: string;
	/** Of an event: its number, its type, and the kind of the item it is about. */
	readonly seq?: number;
	readonly type?: string;
	readonly itemKind?: string;
}

export interface ScannedLine {
	/** Place in the file, the line feed not included. */
	readonly start: number;
	readonly length: number;
	/** "odd": the bytes are as written, but not in the form this release writes. */
	readonly content: Peek | "damaged" | "odd";
}

// The order of the fields is the order in which this code writes them; another order is only slower to read.
const BEGINNING =
	/\{"v":1,"n":(\d+),"at":([\d.]+),"body":\{"kind":"(\w+)"(?:,"seq":(\d+),"event":\{"type":"(\w+)"(?:,"turnId":"[^"]*","item":\{"kind":"(\w+)")?)?/y;

/** Finds the lines of a file and checks each one's checksum over its raw bytes. A last line without a line feed is left out. */
export function scanLines(content: Buffer): readonly ScannedLine[] {
	// One character a byte, so that places in the text are places in the file.
	const text = content.toString("latin1");
	const lines: ScannedLine[] = [];
	for (let start = 0; ; ) {
		const end = text.indexOf("\n", start);
		if (end < 0) return lines;
		lines.push({ start, length: end - start, content: readLine(content, text, start, end) });
		start = end + 1;
	}
}

function readLine(content: Buffer, text: string, start: number, end: number): Peek | "damaged" | "odd" {
	const json = start + CHECKSUM_CHARS + 1;
	const checksum = json > end ? "" : crc32(content.subarray(json, end)).toString(16).padStart(CHECKSUM_CHARS, "0");
	if (checksum === "" || !text.startsWith(`${checksum} `, start)) return "damaged";
	BEGINNING.lastIndex = json;
	const match = BEGINNING.exec(text);
	if (match === null || BEGINNING.lastIndex > end) return "odd";
	const [, n, at, kind = "", seq, type, itemKind] = match;
	return {
		n: Number(n),
		at: Number(at),
		kind,
		...(seq === undefined || type === undefined ? {} : { seq: Number(seq), type }),
		...(itemKind === undefined ? {} : { itemKind }),
	};
}
