import { foldName } from "../../permissions/reach/reach.ts";

/** Signature, version and number of entries. */
const HEAD_BYTES = 12;
/** Times, device, inode, mode, owner and size of an entry; then its hash and its flags. */
const FACTS_BYTES = 40;
const EXTENDED = 0x4000;
/** The flags hold lengths below this one. */
const LONG_NAME = 0xfff;
/** A signature and a length. */
const EXTENSION_HEAD_BYTES = 8;
/** Entries that are read without a break. */
const PIECE = 2_000;
/** No system has longer paths. In version 4 few bytes can make many long names. */
const MAX_NAME = 4_096;

/**
 * Whether a Git index names only files below its repository's folder, and none in a Git directory. Git refuses others when
 * they are staged, but writes whatever its index names when the user restores a file. Whatever cannot be read in exactly
 * one way is not plain.
 */
export async function isPlainIndex(index: Buffer, hashBytes: number): Promise<boolean> {
	const end = index.length - hashBytes;
	if (end < HEAD_BYTES || index.toString("latin1", 0, 4) !== "DIRC") return false;
	const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
	if (version < 2 || version > 4) return false;
	/** Where the entries begin; undefined for one that is read only after the one before. */
	const starts: (number | undefined)[] = [];
	let at = HEAD_BYTES;
	for (let before = ""; starts.length < count; ) {
		const entry = readEntry(index, { at, end, before, version, hashBytes });
		if (entry === undefined || !isPlainPath(entry.name)) return false;
		starts.push(entry.shared === 0 ? at : undefined);
		at = entry.next;
		before = entry.name;
		if (starts.length % PIECE === 0) await new Promise(setImmediate);
	}
	const extensions = readExtensions(index, at, end);
	// The rest would be in another file, which no call replaces.
	if (extensions === undefined || extensions.has("link")) return false;
	const offsets = extensions.get("IEOT");
	return offsets === undefined || agreesWith(starts, offsets);
}

interface Entry {
	/** Where the next one begins. */
	readonly next: number;
	/** Each byte as one character. */
	readonly name: string;
	/** How much of the name is that of the entry before. */
	readonly shared: number;
}

interface Reading {
	readonly at: number;
	readonly end: number;
	/** The name of the entry before. */
	readonly before: string;
	readonly version: number;
	readonly hashBytes: number;
}

function readEntry(index: Buffer, { at, end, before, version, hashBytes }: Reading): Entry | undefined {
	const flagsAt = at + FACTS_BYTES + hashBytes;
	if (flagsAt + 2 > end) return undefined;
	const flags = index.readUInt16BE(flagsAt);
	let nameAt = flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4);
	let shared = 0;
	if (version === 4) {
		const dropped = readNumber(index, nameAt, end);
		if (dropped === undefined || (before !== "" && dropped.value > before.length)) return undefined;
		shared = Math.max(0, before.length - dropped.value);
		nameAt = dropped.next;
	}
	const nul = index.indexOf(0, nameAt);
	if (nul === -1 || nul >= end) return undefined;
	const name = before.slice(0, shared) + index.toString("latin1", nameAt, nul);
	if (name.length > MAX_NAME || Math.min(name.length, LONG_NAME) !== (flags & LONG_NAME)) return undefined;
	// Up to the next multiple of eight bytes, at least one NUL.
	const next = version === 4 ? nul + 1 : at + ((nul - at + 8) & ~7);
	return next > end ? undefined : { next, name, shared };
}

/** A number of as many bytes as it needs. */
function readNumber(
	index: Buffer,
	from: number,
	end: number,
): { readonly value: number; readonly next: number } | undefined {
	let value = 0;
	for (let at = from; at < end && value < index.length; at += 1) {
		const byte = index[at] ?? 0;
		value = value * 128 + (byte & 127);
		if ((byte & 128) === 0) return { value, next: at + 1 };
		value += 1;
	}
	return undefined;
}

/** By their signatures; undefined if they do not end where the index does. */
function readExtensions(index: Buffer, from: number, end: number): ReadonlyMap<string, Buffer> | undefined {
	const found = new Map<string, Buffer>();
	let at = from;
	while (at + EXTENSION_HEAD_BYTES <= end) {
		const signature = index.toString("latin1", at, at + 4);
		const next = at + EXTENSION_HEAD_BYTES + index.readUInt32BE(at + 4);
		if (next > end || found.has(signature)) return undefined;
		found.set(signature, index.subarray(at + EXTENSION_HEAD_BYTES, next));
		at = next;
	}
	return at === end ? found : undefined;
}

/** Git may read a large index from several entries on at once: they must be those that were read here. */
function agreesWith(starts: readonly (number | undefined)[], offsets: Buffer): boolean {
	if (offsets.length % 8 !== 4) return false;
	let first = 0;
	for (let at = 4; at < offsets.length; at += 8) {
		if (starts[first] !== offsets.readUInt32BE(at)) return false;
		first += offsets.readUInt32BE(at + 4);
	}
	return first === starts.length;
}

function isPlainPath(name: string): boolean {
	if (!TO_EXAMINE.test(name)) return true;
	const text = Buffer.from(name, "latin1").toString();
	// A folder of a sparse checkout ends with a slash.
	return text.replace(/\/$/, "").split("/").every(isPlainPart);
}

/** A part that is empty, or begins with a dot or as short names of Windows do, or any character beyond ASCII. */
const TO_EXAMINE = /(?:^|\/)(?:[./]|git~|$)|[^ -~]/i;

function isPlainPart(part: string): boolean {
	return !["", ".", ".."].includes(part) && !/^(?:\.git|git~1)[ .]*(?:$|[:\\])/.test(foldName(part));
}
