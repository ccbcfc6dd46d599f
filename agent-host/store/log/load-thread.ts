import { basename } from "node:path";
import type { HistoryItem } from "../../history/history-item.ts";
import { ThreadId } from "../../protocol/ids.ts";
import type { Disk } from "../home/disk.ts";
import { createAdmission, type Proof } from "../records/admit-records.ts";
import { inlineParts, readValue, slotAt } from "../records/externalize.ts";
import { knownKinds, parseRecord, type ThreadRecord } from "../records/record.ts";
import { LOST_IMAGE } from "../records/replay.ts";
import { type Peek, readJson, type ScannedLine } from "../records/scan-records.ts";
import type { ThreadState } from "../records/thread-state.ts";
import type { Blobs } from "./blobs.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import { createFold, type Folded } from "./fold-lines.ts";
import type { Kept, KeptState } from "./kept-state.ts";
import type { HeldLine } from "./pack-state.ts";
import { readLines, readSegments, type SegmentEnd, segmentPaths, type TakeLine } from "./segments.ts";

export interface LoadedThread extends Folded {
	/** The transcript, which is left on disk. */
	readonly events: EventLog;
	/** The end of the newest segment, to which new records go. */
	readonly end: SegmentEnd;
	/** Bytes after those that the kept state stands for. */
	readonly unkept: number;
}

/** Limit for missing event numbers between two records: those that a repair removed. */
const MAX_GAP = 100_000;

/** Events that only affect the transcript once their turn is over. */
const SHOWN_ONLY: ReadonlySet<string> = new Set([
	"itemStarted",
	"decided",
	"grantRevoked",
	"turnDiff",
	"filesChanged",
	"itemCompleted",
	"contextUpdated",
	"usage",
	"warning",
	"compactionStarted",
	"compactionSkipped",
	"compactionUndone",
	"muteChanged",
]);

/** What changes the history: the last count no longer holds, or holds for what an undo brings back. */
const CHANGES: ReadonlySet<string> = new Set(["rewrite", "mute", "rolledBack", "rollbackUndone"]);

/** Records without any effect once their turn is over. */
const PASSING: ReadonlySet<string> = new Set(["partial", "request", "spent", "images", "attached"]);

/**
 * Reads a thread in pieces. Checks every line, but parses only those that affect its state. Without a proof only the
 * conversation counts.
 */
export async function loadThread(
	disk: Disk,
	path: string,
	blobs: Blobs,
	proof = unproved(path),
	/** Where many threads are read, their folder is listed once. */
	segments?: readonly string[],
	/** What saves the work of reading a long thread again. */
	kept?: KeptState,
): Promise<LoadedThread> {
	const paths = segments ?? (await segmentPaths(disk, path));
	const from = paths.length === 1 ? await kept?.read() : undefined;
	const events = createEventLog(disk, blobs, ownLines(proof), from && { path, ...from.events });
	const fold = createFold(blobs, proof, from?.fold);
	let last = from?.last ?? { n: 0, at: 0 };
	/** The newest record of each kind whose values carry over between turns, in order. */
	const newest = new Map<string, HeldLine>(from?.newest);
	let held: HeldLine[] = [...(from?.held ?? [])];
	let isOpen = from?.isOpen ?? false;

	const takeLine: TakeLine = (line, segment) => {
		const { content: peek, start } = line;
		if (typeof peek === "string") {
			fold.note(peek);
			return undefined;
		}
		// Repeated or reordered lines count once and in their original order.
		if (peek.n <= last.n || (peek.seq ?? 0) > events.last() + MAX_GAP) {
			fold.note("damaged");
			return undefined;
		}
		last = peek;
		const place = { path: segment, start, length: line.bytes.length };
		if (peek.seq !== undefined) events.add([{ seq: peek.seq, ...place }]);
		if (peek.type === "usage" || peek.type === "turnCompleted") {
			newest.delete(peek.type);
			newest.set(peek.type, peek.type === "usage" ? readJson(line) : place);
		}
		const counted = newest.get("usage");
		if (CHANGES.has(peek.type ?? peek.kind) && counted !== undefined) {
			newest.delete("usage");
			held.push(counted);
		}
		if (peek.type === "turnStarted" || peek.type === "turnCompleted") {
			// All held lines belong to turns that are over, including this one if it has just ended.
			const over = held.filter((one) => typeof one === "string");
			isOpen = peek.type === "turnStarted";
			held = isOpen ? [readJson(line)] : [];
			return fold.apply(over, "subtrees");
		}
		held.push(matters(peek) ? readJson(line) : place);
		return undefined;
	};
	const end = await readOn(disk, path, paths, takeLine, from);
	const folded = end.checksum === undefined ? undefined : fold.save();
	const since = from?.bytes ?? 0;
	let isKept = false;
	if (kept !== undefined && end.checksum !== undefined && folded !== undefined) {
		const place = { bytes: end.wholeBytes, checksum: end.checksum, since };
		const { n, at } = last;
		isKept = await kept.write({ ...place, fold: folded, last: { n, at }, newest, held, isOpen, events: events.save() });
	}
	fold.endTurn();
	const rest = isOpen ? held : held.filter((one) => typeof one === "string");
	const counted = newest.get("usage");
	if (!isOpen && counted !== undefined) {
		// A count after a turn stands for all that was changed since.
		newest.delete("usage");
		rest.push(counted);
	}
	for (const one of newest.values()) await fold.apply([await readHeld(disk, one)], "subtrees");
	for (const one of rest) await fold.apply([await readHeld(disk, one)], isOpen ? "all" : "subtrees");
	const { path: segment, bytes, wholeBytes } = end;
	return {
		...fold.result(last),
		events,
		end: { path: segment, bytes, wholeBytes },
		unkept: isKept ? 0 : wholeBytes - since,
	};
}

/** One file is read from where the kept state ends. The checksum is that of the whole file, if all its lines are complete. */
async function readOn(
	disk: Disk,
	path: string,
	paths: readonly string[],
	take: TakeLine,
	from: Pick<Kept, "bytes" | "checksum"> | undefined,
): Promise<SegmentEnd & { readonly checksum?: number }> {
	if (paths.length !== 1) return readSegments(disk, path, take, paths);
	const { checksum, ...end } = await readLines(disk, path, from?.bytes ?? 0, take, from?.checksum);
	return end.bytes === end.wholeBytes ? { ...end, checksum } : end;
}

/** For reading only: no record is known to be ours. */
function unproved(path: string): Proof {
	const name = basename(path).replace(/\.jsonl$/, "");
	return { threadId: ThreadId.parse(name), key: undefined, pinned: undefined };
}

function ownLines({ threadId, key }: Proof): (json: string) => boolean {
	return (json) => key?.holds(threadId, json) ?? false;
}

/** Every readable record of a thread, complete and in order. Returns how many are unreadable. */
export async function readRecords(
	disk: Disk,
	path: string,
	blobs: Blobs,
	take: (record: ThreadRecord) => void,
): Promise<number> {
	let unreadable = 0;
	await readSegments(disk, path, (line) => {
		const parsed = typeof line.content === "string" ? undefined : parseRecord(readJson(line));
		if (parsed?.state !== "good") {
			unreadable += 1;
			return undefined;
		}
		if (parsed.record.refs !== undefined) return inlineParts(parsed.record, blobs.get, "all").then(take);
		take(parsed.record);
		return undefined;
	});
	return unreadable;
}

/** What another process has added to a thread since it was loaded. Undefined if it must be loaded again. */
export async function readAdded(
	disk: Disk,
	path: string,
	blobs: Blobs,
	since: SegmentEnd,
	proof = unproved(path),
): Promise<{ readonly records: readonly PlacedRecord[]; readonly end: SegmentEnd } | undefined> {
	if ((await segmentPaths(disk, path)).at(-1) !== since.path) return undefined;
	const size = (await disk.stat(since.path))?.size ?? 0;
	if (size < since.wholeBytes) return undefined;
	const records: PlacedRecord[] = [];
	const { admit } = createAdmission(proof);
	let isSound = true;
	const add = async ({ content, start, bytes }: ScannedLine): Promise<void> => {
		const json = readJson({ bytes });
		const [parsed, length] = [parseRecord(json), bytes.length];
		const isRead = typeof content !== "string" && parsed.state === "good";
		const record = isRead ? admit(await inlineParts(parsed.record, blobs.get, "all"), json) : undefined;
		if (!isRead) isSound = false;
		else if (record !== undefined) records.push({ record, start, length });
	};
	const end = await readLines(disk, since.path, since.wholeBytes, add);
	return isSound ? { records, end } : undefined;
}

export interface PlacedRecord {
	readonly record: ThreadRecord;
	readonly start: number;
	readonly length: number;
}

/** The whole history of a thread, including texts in blobs. A notice replaces a text that is gone. */
export async function readHistory({ history, unread }: ThreadState, blobs: Blobs): Promise<readonly HistoryItem[]> {
	if (unread.length === 0) return history;
	const places = new Map(history.map((item, index) => [item, index]));
	const later = unread.filter(({ item }) => !places.has(item));
	for (const { item, path, sha256 } of unread) {
		const place = places.get(item);
		const json = place === undefined ? undefined : await blobs.get(sha256);
		const value = json === undefined ? undefined : readValue(json);
		if (typeof value === "string") slotAt(item, path)?.set(value);
		// A provider's sealed item is sent back unchanged or not at all; its place stays, because others are counted by it.
		else if (place !== undefined && "encrypted" in item) history[place] = LOST_REASONING;
		else if (place !== undefined && item.kind === "userImage") history[place] = LOST_IMAGE;
	}
	unread.length = 0;
	for (const one of later) unread.push(one);
	return history;
}

const LOST_REASONING: HistoryItem = { kind: "agentMessage", text: "[Unreadable: reasoning is missing here.]" };

async function readHeld(disk: Disk, held: HeldLine): Promise<string> {
	if (typeof held === "string") return held;
	return readJson({ bytes: await disk.readRange(held.path, held.start, held.length) });
}

/** Whether the state of a thread depends on a line of a finished turn. */
function matters({ kind, type, itemKind }: Peek): boolean {
	const isKnownItem = itemKind === undefined || knownKinds().items.has(itemKind);
	return (!PASSING.has(kind) && !SHOWN_ONLY.has(type ?? "")) || !isKnownItem;
}
