import { isUtf8 } from "node:buffer";
import { type Encoding, encodingOfMark, findEncoding } from "../../patch/encoding.ts";

/** A text file with a zero byte in here is UTF-16, or not text. */
const PROBE_BYTES = 8_192;

export type AskEncoding = (path: string) => Promise<string | undefined>;

/**
 * The encoding of a file; undefined for UTF-8 and if nobody knows. The editor is asked only about bytes that are not
 * plainly UTF-8.
 */
export async function encodingOfFile(path: string, bytes: Uint8Array, ask: AskEncoding): Promise<Encoding | undefined> {
	const marked = encodingOfMark(bytes);
	if (marked !== undefined || (isUtf8(bytes) && !hasZero(bytes))) return marked;
	const name = await ask(path);
	const encoding = name === undefined ? undefined : findEncoding(name);
	// Zero bytes are text in UTF-16 only.
	return hasZero(bytes) && !encoding?.startsWith("utf-16") ? undefined : encoding;
}

/** Whether a file cannot be text, unless it is UTF-16. */
export function hasZero(bytes: Uint8Array): boolean {
	return bytes.subarray(0, PROBE_BYTES).includes(0);
}
