import { createHash } from "node:crypto";
import type { HistoryItem } from "../../history/history-item.ts";
import { encodeRecord, encodeSealed, type RecordBody, type Reference, type ThreadRecord } from "./record.ts";
import { SEAL_BYTES } from "./record-seal.ts";

/** Bytes of one line of a thread's file, its line feed included. What does not fit is kept apart. */
export const MAX_LINE_BYTES = 65_536;
/** The same without a seal, which is added last. */
const MAX_BARE_BYTES = MAX_LINE_BYTES - SEAL_BYTES;
/** A text of a header or an envelope from this length on is the same in many records and is kept once. */
const FIXED_TEXT_CHARS = 512;
/** Bytes of a line that are no string of its own: its checksum, its frame, and what stands between its strings. */
const ROOM_BESIDE_STRINGS = 4_096;
/** Shorter strings stay in the record: naming them would take nearly as much room. */
const SHORTEST_APART = 512;

/** A value that stands outside its record, as JSON, under the SHA-256 of its bytes. */
export interface Apart {
	readonly sha256: string;
	readonly json: string;
	/** "home": a text of the program's own, which all threads share. */
	readonly shelf: "thread" | "home";
}

export interface PartedRecord {
	readonly record: ThreadRecord;
	readonly line: Buffer;
	/** All that has to be on disk before the line is. */
	readonly apart: readonly Apart[];
}

interface Candidate {
	readonly path: Reference["path"];
	readonly value: unknown;
	readonly json: string;
	readonly bytes: number;
}

/** The line of a record, and what of it is kept apart: fixed texts always, the rest only where the line would be too long. */
export function externalize(record: ThreadRecord, seal?: (json: string) => string): PartedRecord {
	const parted = makeRoom(record);
	return seal === undefined ? parted : { ...parted, line: Buffer.from(encodeSealed(parted.record, seal)) };
}

function makeRoom(record: ThreadRecord): PartedRecord {
	// A text of megabytes is not encoded first to find out that it is long.
	if (!isHuge(record.body)) {
		const fixed = part(record, fixedTexts(record.body));
		if (fixed.line.length <= MAX_BARE_BYTES) return fixed;
	}
	const shorter = part(record, longestStrings(record.body));
	if (shorter.line.length <= MAX_BARE_BYTES) return shorter;
	// Many small values: whole branches go, and then whatever long string stands beside them.
	const branches = branchesOf(record.body);
	const strings = stringsOf(record.body).filter(({ path }) => !branches.some((branch) => isBelow(path, branch.path)));
	return part(record, [...branches, ...strings.filter(({ bytes }) => bytes >= SHORTEST_APART)]);
}

/**
 * Puts what was kept apart back in its place, in the record itself, which nobody else may hold yet. `wanted` chooses; what is
 * not wanted or cannot be read stays named, with words in its place that say so.
 */
export async function inlineParts(
	record: ThreadRecord,
	read: (sha256: string) => Promise<string | undefined>,
	wanted: "all" | "branches",
): Promise<ThreadRecord> {
	if (record.refs === undefined) return record;
	const left: Reference[] = [];
	for (const reference of record.refs) {
		const holder = slotAt(record.body, reference.path);
		const json =
			holder !== undefined && (wanted === "all" || !holder.isText) ? await read(reference.sha256) : undefined;
		const value = json === undefined ? undefined : readValue(json);
		if (value === undefined) left.push(reference);
		else holder?.set(value);
	}
	const { refs: _, ...whole } = record;
	return left.length === 0 ? whole : { ...whole, refs: left };
}

/** A value as it was put; undefined for bytes that no host has put there. */
export function readValue(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}

/** Whether a value that the record cannot do without is missing; a missing text only leaves its words. */
export function lacksBranch({ body, refs = [] }: ThreadRecord): boolean {
	return refs.some(({ path }) => slotAt(body, path)?.isText !== true);
}

/** The name a value has when it is kept apart. */
export function blobName(value: string): string {
	return hashOf(JSON.stringify(value));
}

export function hashOf(json: string): string {
	return createHash("sha256").update(json).digest("hex");
}

function part(record: ThreadRecord, chosen: readonly Candidate[]): PartedRecord {
	if (chosen.length === 0) return { record, line: Buffer.from(encodeRecord(record)), apart: [] };
	const apart = chosen.map(({ path, json }): Apart => {
		return { sha256: hashOf(json), json, shelf: path[0] === "baseInstructions" ? "home" : "thread" };
	});
	const refs = chosen.map(({ path }, index) => ({ path, sha256: apart[index]?.sha256 ?? "" }));
	const body = chosen.reduce((one, { path, value }) => withValue(one, path, placeholderFor(path, value)), record.body);
	const parted = { ...record, body, refs };
	return { record: parted, line: Buffer.from(encodeRecord(parted)), apart };
}

/** What is read in place of a value that is gone. */
function placeholderFor(path: Reference["path"], value: unknown): unknown {
	if (Array.isArray(value)) return [];
	if (typeof value !== "string") return {};
	// Every thread has them, and words would be taken for instructions.
	if (path[0] === "baseInstructions") return "";
	// Nothing at all is still base64.
	if (path.at(-1) === "data") return "";
	return `[Unreadable: a text of ${value.length} characters, stored in a separate file, is missing or damaged.]`;
}

function fixedTexts(body: RecordBody): readonly Candidate[] {
	switch (body.kind) {
		case "thread":
			return stringsOf({ baseInstructions: body.baseInstructions }).filter(isFixed);
		case "envelope":
			return stringsOf(body).filter(isFixed);
		case "items":
		case "rewrite":
		case "images":
			return imagesIn(body);
		case "settings":
		case "attached":
		case "event":
		case "touch":
		case "review":
		case "request":
		case "told":
		case "partial":
			return [];
	}
}

/** Bytes of images: always apart, so that the accepted input and the history share one blob. */
function imagesIn({ items }: { readonly items: readonly HistoryItem[] }): readonly Candidate[] {
	return items.flatMap((item, index) =>
		item.kind === "userImage" ? stringsOf(item.data, ["items", index, "data"]) : [],
	);
}

function isFixed({ value }: Candidate): boolean {
	return typeof value === "string" && value.length >= FIXED_TEXT_CHARS;
}

function isHuge(value: unknown): boolean {
	if (typeof value === "string") return value.length > MAX_BARE_BYTES;
	return typeof value === "object" && value !== null && Object.values(value).some(isHuge);
}

/** All fixed texts, and as few others as bring the line down to size, the longest first. */
function longestStrings(body: RecordBody): readonly Candidate[] {
	const fixed = fixedTexts(body);
	const strings = stringsOf(body);
	// Keys, numbers and brackets are few beside the strings, or else whole branches will have to go.
	let excess = strings.reduce((sum, { bytes }) => sum + bytes, ROOM_BESIDE_STRINGS) - MAX_BARE_BYTES;
	for (const { bytes, path } of fixed) excess -= bytes - costOf(path);
	const isNew = ({ path }: Candidate) => !fixed.some((other) => String(other.path) === String(path));
	const more = strings
		.filter((candidate) => candidate.bytes >= SHORTEST_APART && isNew(candidate))
		.sort((a, b) => b.bytes - a.bytes)
		.filter(({ bytes, path }) => {
			if (excess <= 0) return false;
			excess -= bytes - costOf(path);
			return true;
		});
	return [...fixed, ...more];
}

/** Bytes that a reference and the words in its place take, at most. */
function costOf(path: Reference["path"]): number {
	return 300 + JSON.stringify(path).length;
}

function stringsOf(value: unknown, path: Reference["path"] = []): readonly Candidate[] {
	if (typeof value === "string") {
		const json = JSON.stringify(value);
		return [{ path, value, json, bytes: Buffer.byteLength(json) }];
	}
	if (typeof value !== "object" || value === null) return [];
	const isList = Array.isArray(value);
	return Object.entries(value).flatMap(([key, child]) => stringsOf(child, [...path, isList ? Number(key) : key]));
}

/** The arrays and objects directly below what has to be seen without reading further: kind, number, type. */
function branchesOf(body: RecordBody): readonly Candidate[] {
	const [root, path] = body.kind === "event" ? [body.event, ["event"]] : [body, []];
	return Object.entries(root)
		.filter(([, value]) => typeof value === "object" && value !== null)
		.map(([key, value]) => ({ path: [...path, key], value, json: JSON.stringify(value), bytes: 0 }));
}

function isBelow(path: Reference["path"], branch: Reference["path"]): boolean {
	return branch.every((key, index) => path[index] === key);
}

/** A copy with another value at a path; what does not lead there is shared with the original. */
function withValue<T>(root: T, path: Reference["path"], value: unknown): T {
	const [key, ...rest] = path;
	if (key === undefined) return value as T;
	const copy = (Array.isArray(root) ? [...root] : { ...root }) as Record<string | number, unknown>;
	// A key such as "__proto__" would otherwise be taken for something else.
	Object.defineProperty(copy, key, {
		value: withValue(ownValue(root, key), rest, value),
		enumerable: true,
		configurable: true,
		writable: true,
	});
	return copy as T;
}

/** The place a path leads to, if each step is there: a file from elsewhere may name any path. */
export function slotAt(
	root: object,
	path: Reference["path"],
): { readonly isText: boolean; readonly set: (value: unknown) => void } | undefined {
	const key = path.at(-1);
	if (key === undefined) return undefined;
	let parent: unknown = root;
	for (const step of path.slice(0, -1)) parent = ownValue(parent, step);
	const current = ownValue(parent, key);
	if (current === undefined) return undefined;
	const holder = parent as Record<string | number, unknown>;
	return {
		isText: typeof current === "string",
		set: (value) => {
			holder[key] = value;
		},
	};
}

function ownValue(parent: unknown, key: string | number): unknown {
	if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, key)) return undefined;
	return (parent as Record<string | number, unknown>)[key];
}
