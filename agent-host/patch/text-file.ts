import { isUtf8 } from "node:buffer";
import { decodeIn, type Encoding, encodeIn, encodingOfMark } from "./encoding.ts";
import { finish, PIECE_LINES, type Pieces } from "./pieces.ts";

/** A text file split so that every byte outside a patch can be restored exactly. */
export interface TextFile {
	/** Without the byte-order mark. */
	readonly text: string;
	readonly mark: "" | "\uFEFF";
	/** The offset of each line, and finally the length of the text. */
	readonly starts: readonly number[];
	/** The line end of new lines: the same as the file's first one. */
	readonly newline: string;
	/** Whether all line ends are the same. */
	readonly isUniform: boolean;
	/** Whether the last line has a line end. */
	readonly isEnded: boolean;
	/** Absent for UTF-8. */
	readonly encoding?: Encoding;
}

/** Limit for the lines of one file. */
const MAX_LINES = 2_000_000;

const MARK = "\uFEFF";
const [LF, CR] = [10, 13];

type Refused = { readonly refusal: string };

/** Decodes bytes as text, or says why writing it back could change something. */
export function readTextFile(bytes: Uint8Array, encoding?: Encoding): TextFile | Refused {
	return finish(readInPieces(bytes, encoding));
}

export function* readInPieces(bytes: Uint8Array, encoding?: Encoding): Pieces<TextFile | Refused> {
	const decoded = decodeText(bytes, encoding);
	if (typeof decoded !== "string") return decoded;
	const file = yield* splitInPieces(decoded);
	return encoding === undefined || "refusal" in file ? file : { ...file, encoding };
}

/** The text with its byte-order mark. */
export function decodeText(bytes: Uint8Array, encoding?: Encoding): string | Refused {
	if (encoding !== undefined) return decodeExactly(bytes, encoding);
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return { refusal: `is not UTF-8 text, so it cannot be patched. ${NAME_ENCODING}` };
	}
}

const NAME_ENCODING = "The user can name its encoding in the setting files.encoding";

/** Refuses what would not be written back as it was: some encodings have two codes for one character. */
function decodeExactly(bytes: Uint8Array, encoding: Encoding): string | Refused {
	const text = decodeIn(bytes, encoding);
	const again = text === undefined ? undefined : encodeIn(text, encoding);
	if (text !== undefined && again instanceof Uint8Array && Buffer.compare(again, bytes) === 0) return text;
	return { refusal: `is not valid ${encoding} text, so it cannot be patched. ${NAME_ENCODING}` };
}

/** The bytes of a text in a file's encoding, or why there are none. */
export function encodeText(text: string, encoding: Encoding | undefined): Uint8Array | Refused {
	if (encoding === undefined) return toBytes(text);
	const bytes = encodeIn(text, encoding);
	if (bytes instanceof Uint8Array) return bytes;
	return { refusal: `is ${encoding} text, which has no “${bytes.missing}”; use other characters` };
}

export function splitText(whole: string, maxLines = MAX_LINES): TextFile | Refused {
	return finish(splitInPieces(whole, maxLines));
}

export function* splitInPieces(whole: string, maxLines = MAX_LINES): Pieces<TextFile | Refused> {
	const mark = whole.startsWith(MARK) ? MARK : "";
	const text = whole.slice(mark.length);
	const starts: number[] = [];
	let newline: string | undefined;
	let isUniform = true;
	let start = 0;
	// Two forward searches instead of a regular expression tried at every character: most files contain no CR.
	let [nextLf, nextCr] = [text.indexOf("\n"), text.indexOf("\r")];
	while (nextLf >= 0 || nextCr >= 0) {
		const isCr = nextCr >= 0 && (nextLf < 0 || nextCr < nextLf);
		const index = isCr ? nextCr : nextLf;
		const length = isCr && nextLf === index + 1 ? 2 : 1;
		newline ??= text.slice(index, index + length);
		isUniform &&= newline.length === length && newline.startsWith("\r") === isCr;
		starts.push(start);
		start = index + length;
		if (starts.length > maxLines) return { refusal: `has more than ${maxLines} lines` };
		if (starts.length % PIECE_LINES === 0) yield;
		if (nextLf >= 0 && nextLf < start) nextLf = text.indexOf("\n", start);
		if (isCr) nextCr = text.indexOf("\r", start);
	}
	const isEnded = start === text.length;
	if (!isEnded) starts.push(start);
	starts.push(text.length);
	return { text, mark, starts, newline: newline ?? "\n", isUniform, isEnded };
}

export function countLines({ starts }: Pick<TextFile, "starts">): number {
	return starts.length - 1;
}

/** A line without its line end; undefined behind the last one. */
export function lineAt({ text, starts, isEnded }: TextFile, index: number): string | undefined {
	const [start, next] = [starts[index], starts[index + 1]];
	if (start === undefined || next === undefined) return undefined;
	if (!isEnded && next === text.length) return text.slice(start);
	const isPair = text.charCodeAt(next - 1) === LF && next - 1 > start && text.charCodeAt(next - 2) === CR;
	return text.slice(start, next - (isPair ? 2 : 1));
}

/** All lines, without their line ends. */
export function listLines(file: TextFile): readonly string[] {
	return Array.from({ length: countLines(file) }, (_, index) => lineAt(file, index) ?? "");
}

/** The last of the starts up to `last` that is not behind `offset`. */
export function lastStarting(starts: readonly number[], offset: number, last: number): number {
	let [low, high] = [0, Math.max(0, last)];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if ((starts[middle] ?? Number.POSITIVE_INFINITY) <= offset) low = middle;
		else high = middle - 1;
	}
	return low;
}

export function toBytes(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

/** The byte-order mark of a file. */
export function readByteOrderMark(bytes: Uint8Array | undefined): string {
	const isMarked = bytes !== undefined && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
	return isMarked ? MARK : "";
}

/** The text of a file without its byte-order mark, where it is UTF-8 as its bytes; undefined if it is no text. */
export function readBody(bytes: Uint8Array, encoding?: Encoding): string | Uint8Array | undefined {
	if (encoding === undefined)
		return isUtf8(bytes) ? bytes.subarray(toBytes(readByteOrderMark(bytes)).length) : undefined;
	const text = decodeText(bytes, encoding);
	return typeof text === "string" ? text.replace(/^\uFEFF/, "") : undefined;
}

/** The bytes that saving a document would write over a file. Editors hide the byte-order mark and keep it. */
export function savedBytes(text: string, file: Uint8Array | undefined, encoding?: Encoding): Uint8Array {
	const body = text.startsWith(MARK) ? text.slice(MARK.length) : text;
	if (encoding === undefined) return toBytes(readByteOrderMark(file) + body);
	const isMarked = file !== undefined && encodingOfMark(file) !== undefined;
	const bytes = encodeIn(isMarked ? MARK + body : body, encoding);
	// The editor replaces what the encoding lacks. That is no text of ours, so it only has to differ.
	return bytes instanceof Uint8Array ? bytes : toBytes(body);
}
