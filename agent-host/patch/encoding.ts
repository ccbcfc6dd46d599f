/** An encoding other than UTF-8, by a name in the WHATWG standard. */
export type Encoding = (typeof ENCODINGS)[keyof typeof ENCODINGS] | "utf-16le" | "utf-16be";

/** The editor's names for encodings, and the standard's. Those that the standard does not have are not supported. */
const ENCODINGS = {
	big5hkscs: "big5",
	cp866: "ibm866",
	cp950: "big5",
	eucjp: "euc-jp",
	euckr: "euc-kr",
	gb2312: "gbk",
	gb18030: "gb18030",
	gbk: "gbk",
	iso88591: "iso-8859-1",
	iso88592: "iso-8859-2",
	iso88593: "iso-8859-3",
	iso88594: "iso-8859-4",
	iso88595: "iso-8859-5",
	iso88596: "iso-8859-6",
	iso88597: "iso-8859-7",
	iso88598: "iso-8859-8",
	iso88599: "iso-8859-9",
	iso885910: "iso-8859-10",
	iso885911: "iso-8859-11",
	iso885913: "iso-8859-13",
	iso885914: "iso-8859-14",
	iso885915: "iso-8859-15",
	iso885916: "iso-8859-16",
	koi8r: "koi8-r",
	koi8u: "koi8-u",
	macroman: "macintosh",
	shiftjis: "shift_jis",
	utf16be: "utf-16be",
	utf16le: "utf-16le",
	windows874: "windows-874",
	windows1250: "windows-1250",
	windows1251: "windows-1251",
	windows1252: "windows-1252",
	windows1253: "windows-1253",
	windows1254: "windows-1254",
	windows1255: "windows-1255",
	windows1256: "windows-1256",
	windows1257: "windows-1257",
	windows1258: "windows-1258",
} as const;

/** The encoding with that name in the editor; undefined for UTF-8 and for what is not supported. */
export function findEncoding(name: string): Encoding | undefined {
	return (ENCODINGS as Readonly<Record<string, Encoding>>)[name.toLowerCase()];
}

/** The encoding that a byte-order mark names. */
export function encodingOfMark([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
	if (first === 0xff && second === 0xfe) return "utf-16le";
	return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** The text with its byte-order mark; undefined if the bytes are not valid in this encoding. */
export function decodeIn(bytes: Uint8Array, encoding: Encoding): string | undefined {
	const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
	try {
		return WITH_CONTROLS.has(encoding) ? decodeControls(bytes, decoder) : decoder.decode(bytes);
	} catch {
		return undefined;
	}
}

/**
 * The standard, but not the editor, takes these for the Windows encodings, which have characters such as “€” where these
 * have control codes.
 */
const WITH_CONTROLS: ReadonlySet<Encoding> = new Set(["iso-8859-1", "iso-8859-9", "iso-8859-11"]);

function decodeControls(bytes: Uint8Array, decoder: TextDecoder): string {
	let text = "";
	let start = 0;
	for (let index = 0; index < bytes.length; index += 1) {
		const byte = bytes[index] ?? 0;
		if (byte < 0x80 || byte > 0x9f) continue;
		text += decoder.decode(bytes.subarray(start, index)) + String.fromCharCode(byte);
		start = index + 1;
	}
	return text + decoder.decode(bytes.subarray(start));
}

/** The bytes of a text, or its first character that the encoding lacks. */
export function encodeIn(text: string, encoding: Encoding): Uint8Array | { readonly missing: string } {
	if (encoding === "utf-16le" || encoding === "utf-16be") {
		const bytes = Buffer.from(text, "utf16le");
		return encoding === "utf-16le" ? bytes : bytes.swap16();
	}
	const table = tableOf(encoding);
	const bytes = Buffer.alloc(2 * text.length);
	let length = 0;
	for (const character of text) {
		const code = table.get(character);
		if (code === undefined) return { missing: character };
		if (code > 0xff) bytes[length++] = code >> 8;
		bytes[length++] = code & 0xff;
	}
	return bytes.subarray(0, length);
}

const tables = new Map<Encoding, ReadonlyMap<string, number>>();

/** The codes of all characters with one or two bytes, found by decoding them: the platform only decodes. */
function tableOf(encoding: Encoding): ReadonlyMap<string, number> {
	const known = tables.get(encoding);
	if (known !== undefined) return known;
	const table = new Map<string, number>();
	const add = (character: string, code: number) => {
		// Some characters have two codes. The first one is usual, but for the Shift JIS rows that repeat others.
		if (character.length > 0 && !character.includes("\uFFFD") && !table.has(character)) table.set(character, code);
	};
	const leads: number[] = [];
	for (let byte = 0; byte < 0x100; byte += 1) {
		const character = decodeIn(Uint8Array.of(byte), encoding);
		if (character !== undefined) add(character, byte);
		else if (!(encoding === "shift_jis" && REPEATING.has(byte))) leads.push(byte);
	}
	for (const lead of leads) for (const [character, code] of decodeRow(lead, encoding)) add(character, code);
	tables.set(encoding, table);
	return table;
}

const REPEATING = new Set([0xed, 0xee]);
const FIRST_TRAIL = 0x30;

/** All characters of two bytes with this first byte, decoded at once with a line feed behind each. */
function decodeRow(lead: number, encoding: Encoding): readonly (readonly [string, number])[] {
	const trails = Array.from({ length: 0x100 - FIRST_TRAIL }, (_, index) => FIRST_TRAIL + index);
	const row = Uint8Array.from(trails.flatMap((trail) => [lead, trail, 0x0a, 0x0a]));
	const characters = new TextDecoder(encoding).decode(row).split(/\n+/);
	return trails.flatMap((trail, index) => {
		const character = characters[index] ?? "";
		return [...character].length === 1 ? [[character, (lead << 8) | trail] as const] : [];
	});
}
