import { createHash } from "node:crypto";
import type { HistoryItem } from "../../history/history-item.ts";
import { CHECKSUM_CHARS, frameJson, type RecordBody, type Reference, type ThreadRecord } from "./record.ts";
import { SEAL_BYTES } from "./record-seal.ts";

/** Limit for one line of a thread's file, including its line feed. Longer values are externalized. */
export const MAX_LINE_BYTES = 65_536;
/** The same without a seal, which is added last. */
const MAX_BARE_BYTES = MAX_LINE_BYTES - SEAL_BYTES;
/** The checksum of a line, the space behind it, and its line feed. */
const BYTES_BESIDE_JSON = CHECKSUM_CHARS + 2;
/** A text of a header or an envelope from this length on is the same in many records and is stored once. */
const FIXED_TEXT_CHARS = 512;
/** Bytes of a line that are not strings: its checksum, its frame, and the syntax between its strings. */
const ROOM_BESIDE_STRINGS = 4_096;
/** Shorter strings stay in the record: a reference would take nearly as much space. */
const SHORTEST_EXTERNAL = 512;

/** A value stored outside its record as JSON, under the SHA-256 of its bytes. */
export interface ExternalValue {
	readonly sha256: string;
	/** Only needed if it is not stored yet. */
	readonly json: () => string;
	/** "home": a text of the program, which all threads share. */
	readonly scope: "thread" | "home";
}

export interface ExternalizedRecord {
	readonly line: Buffer;
	/** All values that must be on disk before the line. */
	readonly external: readonly ExternalValue[];
}

interface Candidate {
	readonly path: Reference["path"];
	readonly value: unknown;
	/** Of its JSON. */
	readonly bytes: number;
	readonly json: () => string;
}

/** The line of a record, and its externalized values: fixed texts always, others only if the line would be too long. */
export function externalize(record: ThreadRecord, seal: (json: string) => string = (json) => json): ExternalizedRecord {
	const { json, external } = shorten(record);
	return { line: Buffer.from(frameJson(seal(json))), external };
}

interface Shortened {
	/** Of the record, with references in place of what was moved out. */
	readonly json: string;
	readonly external: readonly ExternalValue[];
}

function shorten(record: ThreadRecord): Shortened {
	// Do not encode a text of megabytes only to find out that it is long.
	if (!isHuge(record.body)) {
		const fixed = moveOut(record, fixedTexts(record.body));
		if (fits(fixed)) return fixed;
	}
	const shorter = moveOut(record, longestStrings(record.body));
	if (fits(shorter)) return shorter;
	// Many small values: whole subtrees are externalized, and then any long string beside them.
	const subtrees = listSubtrees(record.body);
	const strings = listStrings(record.body).filter(
		({ path }) => !subtrees.some((subtree) => isBelow(path, subtree.path)),
	);
	return moveOut(record, [...subtrees, ...strings.filter(({ bytes }) => bytes >= SHORTEST_EXTERNAL)]);
}

/**
 * Puts externalized values back into the record, which must not be shared yet. `wanted` chooses; a value that is not
 * wanted or cannot be read stays a reference, with a notice in its place.
 */
export async function inlineParts(
	record: ThreadRecord,
	read: (sha256: string) => Promise<string | undefined>,
	wanted: "all" | "subtrees",
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

/** A stored value; undefined for bytes that no host wrote. */
export function readValue(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}

/** Whether a required value is missing; a missing text is only replaced by a notice. */
export function lacksSubtree({ body, refs = [] }: ThreadRecord): boolean {
	return refs.some(({ path }) => slotAt(body, path)?.isText !== true);
}

/** The name of an externalized value. */
export function blobName(value: string): string {
	return hashJson(JSON.stringify(value));
}

export function hashJson(json: string): string {
	return createHash("sha256").update(json).digest("hex");
}

function fits({ json }: Shortened): boolean {
	return Buffer.byteLength(json) + BYTES_BESIDE_JSON <= MAX_BARE_BYTES;
}

function moveOut(record: ThreadRecord, chosen: readonly Candidate[]): Shortened {
	if (chosen.length === 0) return { json: JSON.stringify(record), external: [] };
	const external = chosen.map(({ path, value, json }): ExternalValue => {
		return { sha256: digestOf(value, json), json, scope: path[0] === "baseInstructions" ? "home" : "thread" };
	});
	const refs = chosen.map(({ path }, index) => ({ path, sha256: external[index]?.sha256 ?? "" }));
	const body = chosen.reduce((one, { path, value }) => withValue(one, path, placeholderFor(path, value)), record.body);
	return { json: JSON.stringify({ ...record, body, refs }), external };
}

/** What is read in place of a value that is gone. */
function placeholderFor(path: Reference["path"], value: unknown): unknown {
	if (Array.isArray(value)) return [];
	if (typeof value !== "string") return {};
	// Every thread has them, and a notice would be taken for instructions.
	if (path[0] === "baseInstructions") return "";
	// An empty string is still valid base64.
	if (path.at(-1) === "data") return "";
	return `[Unreadable: a text of ${value.length} characters, stored in a separate file, is missing or damaged.]`;
}

function fixedTexts(body: RecordBody): readonly Candidate[] {
	switch (body.kind) {
		case "thread":
			return listStrings({ baseInstructions: body.baseInstructions }).filter(isFixed);
		case "envelope":
			return listStrings(body).filter(isFixed);
		case "items":
		case "rewrite":
		case "images":
			return imagesIn(body);
		case "settings":
		case "mute":
		case "attached":
		case "event":
		case "touch":
		case "review":
		case "request":
		case "spent":
		case "told":
		case "partial":
			return [];
	}
}

/** Bytes of images: always externalized, so that the accepted input and the history share one blob. */
function imagesIn({ items }: { readonly items: readonly HistoryItem[] }): readonly Candidate[] {
	return items.flatMap((item, index) =>
		item.kind === "userImage" ? listStrings(item.data, ["items", index, "data"]) : [],
	);
}

function isFixed({ value }: Candidate): boolean {
	return typeof value === "string" && value.length >= FIXED_TEXT_CHARS;
}

function isHuge(value: unknown): boolean {
	if (typeof value === "string") return value.length > MAX_BARE_BYTES;
	return typeof value === "object" && value !== null && Object.values(value).some(isHuge);
}

/** All fixed texts, and as few others as needed to shorten the line, the longest first. */
function longestStrings(body: RecordBody): readonly Candidate[] {
	const fixed = fixedTexts(body);
	const strings = listStrings(body);
	// Keys, numbers and brackets take little space beside the strings; otherwise whole subtrees are externalized.
	let excess = strings.reduce((sum, { bytes }) => sum + bytes, ROOM_BESIDE_STRINGS) - MAX_BARE_BYTES;
	for (const { bytes, path } of fixed) excess -= bytes - estimateCost(path);
	const isNew = ({ path }: Candidate) => !fixed.some((other) => String(other.path) === String(path));
	const more = strings
		.filter((candidate) => candidate.bytes >= SHORTEST_EXTERNAL && isNew(candidate))
		.sort((a, b) => b.bytes - a.bytes)
		.filter(({ bytes, path }) => {
			if (excess <= 0) return false;
			excess -= bytes - estimateCost(path);
			return true;
		});
	return [...fixed, ...more];
}

/** Upper bound of the bytes that a reference and its notice take. */
function estimateCost(path: Reference["path"]): number {
	return 300 + JSON.stringify(path).length;
}

function listStrings(value: unknown, path: Reference["path"] = []): readonly Candidate[] {
	if (typeof value === "string") return [toCandidate(path, value)];
	if (typeof value !== "object" || value === null) return [];
	const isList = Array.isArray(value);
	return Object.entries(value).flatMap(([key, child]) => listStrings(child, [...path, isList ? Number(key) : key]));
}

function toCandidate(path: Reference["path"], value: string): Candidate {
	const known = recent.get(value);
	if (known !== undefined) return { path, value, bytes: known.bytes, json: () => JSON.stringify(value) };
	const json = JSON.stringify(value);
	return { path, value, bytes: Buffer.byteLength(json), json: () => json };
}

/** The arguments of a call are in three records, one soon after the other. */
const recent = new Map<string, { readonly bytes: number; readonly sha256: string }>();
const MAX_RECENT = 2;
/** Longer ones are not kept in memory only to be faster. */
const MAX_RECENT_CHARS = 1_048_576;

function digestOf(value: unknown, json: () => string): string {
	if (typeof value !== "string" || value.length > MAX_RECENT_CHARS) return hashJson(json());
	const known = recent.get(value);
	if (known !== undefined) return known.sha256;
	const text = json();
	const sha256 = hashJson(text);
	recent.set(value, { bytes: Buffer.byteLength(text), sha256 });
	const [oldest] = recent.keys();
	if (recent.size > MAX_RECENT && oldest !== undefined) recent.delete(oldest);
	return sha256;
}

/** The arrays and objects directly below the fields that must stay readable: kind, number, type. */
function listSubtrees(body: RecordBody): readonly Candidate[] {
	const [root, path] = body.kind === "event" ? [body.event, ["event"]] : [body, []];
	return Object.entries(root)
		.filter(([, value]) => typeof value === "object" && value !== null)
		.map(([key, value]) => ({ path: [...path, key], value, bytes: 0, json: () => JSON.stringify(value) }));
}

function isBelow(path: Reference["path"], subtree: Reference["path"]): boolean {
	return subtree.every((key, index) => path[index] === key);
}

/** A copy with another value at a path; the rest is shared with the original. */
function withValue<T>(root: T, path: Reference["path"], value: unknown): T {
	const [key, ...rest] = path;
	if (key === undefined) return value as T;
	const copy = (Array.isArray(root) ? [...root] : { ...root }) as Record<string | number, unknown>;
	// Otherwise a key such as "__proto__" would have a special meaning.
	Object.defineProperty(copy, key, {
		value: withValue(ownValue(root, key), rest, value),
		enumerable: true,
		configurable: true,
		writable: true,
	});
	return copy as T;
}

/** The place a path leads to, if every step exists: a file from elsewhere may contain any path. */
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
