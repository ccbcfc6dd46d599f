import { TurnId } from "../../protocol/ids.ts";
import { asMessage, say } from "../../protocol/say.ts";
import { type PublishedEvent, ThreadEvent } from "../../protocol/thread/events.ts";
import type { Disk } from "../home/disk.ts";
import { inlineParts } from "../records/externalize.ts";
import { CHECKSUM_CHARS, decodeRecord } from "../records/record.ts";
import type { Blobs } from "./blobs.ts";

/** Where an event's line is. */
export interface EventPlace {
	readonly seq: number;
	readonly path: string;
	readonly start: number;
	readonly length: number;
}

/**
 * A range of events by number: those after `after` and before `before`, at most `limit`, the oldest or the newest of
 * them.
 */
export interface EventRange {
	readonly after: number;
	readonly before?: number | undefined;
	readonly limit: number;
}

/** The events of a thread, which stay on disk until they are read. */
export interface EventLog {
	/** Number of the newest event. */
	readonly last: () => number;
	/** In the order of their numbers; known ones are skipped. */
	readonly add: (places: readonly EventPlace[]) => void;
	/**
	 * Events in order; with `before` the newest that fit, otherwise the oldest. Unreadable ones are replaced by a notice.
	 */
	readonly read: (range: EventRange) => Promise<readonly PublishedEvent[]>;
	/** The places of all events, which are in one file. */
	readonly save: () => SavedPlaces;
}

export interface SavedPlaces {
	readonly seqs: Float64Array;
	readonly starts: Float64Array;
	readonly lengths: Uint32Array;
}

/** Bytes that are read at a time. */
const PIECE_BYTES = 1_048_576;

const UNREADABLE = {
	type: "warning",
	turnId: TurnId.parse("unreadable"),
	code: "unreadable",
	...asMessage(say("record-unreadable")),
} as const;

/** `isOwn`: whether the JSON of a line is known to be this host's. */
export function createEventLog(
	disk: Disk,
	blobs: Blobs,
	isOwn: IsOwn = () => false,
	from?: SavedPlaces & { readonly path: string },
): EventLog {
	const places = createPlaces(from);
	return {
		last: places.last,
		add: places.add,
		save: places.save,
		async read({ after, before, limit }) {
			const end = Math.min(before === undefined ? after + limit : before - 1, places.last());
			const start = before === undefined ? after : Math.max(after, end - limit);
			const events = await readPlaces(disk, blobs, places.between(start, end), isOwn);
			return Array.from({ length: Math.max(0, end - start) }, (_, index) => {
				const seq = start + index + 1;
				return events.get(seq) ?? { seq, at: 0, event: UNREADABLE };
			});
		},
	};
}

async function readPlaces(
	disk: Disk,
	blobs: Blobs,
	page: readonly EventPlace[],
	isOwn: IsOwn,
): Promise<ReadonlyMap<number, PublishedEvent>> {
	const events = new Map<number, PublishedEvent>();
	for (const group of neighbours(page)) {
		const [first, last] = [group[0], group.at(-1)];
		if (first === undefined || last === undefined) continue;
		const bytes = await disk.readRange(first.path, first.start, last.start + last.length - first.start);
		for (const { start, length } of group) {
			const line = bytes.toString("utf8", start - first.start, start - first.start + length);
			const decoded = decodeRecord(line);
			if (decoded.state !== "good") continue;
			const { body, at } = await inlineParts(decoded.record, blobs.get, "all");
			const event = body.kind === "event" ? shown(body.event, () => isOwn(line.slice(CHECKSUM_CHARS + 1))) : undefined;
			if (body.kind === "event" && event !== undefined) events.set(body.seq, { seq: body.seq, at, event });
		}
	}
	return events;
}

type IsOwn = (json: string) => boolean;

/** An event for a client. Who ran a command is included only if this host wrote the event. */
function shown(event: ThreadEvent, isOwn: () => boolean): ThreadEvent | undefined {
	const parsed = ThreadEvent.safeParse(event);
	if (!parsed.success || !("item" in parsed.data)) return parsed.data;
	const { item } = parsed.data;
	if (!("by" in item) || isOwn()) return parsed.data;
	const { by: _, ...call } = item;
	return { ...parsed.data, item: call };
}

/** Places that one read can cover: events are close together, with few other records between them. */
function neighbours(page: readonly EventPlace[]): readonly (readonly EventPlace[])[] {
	const groups: EventPlace[][] = [];
	for (const place of page) {
		const group = groups.at(-1);
		const first = group?.[0];
		const isNear =
			first !== undefined &&
			first.path === place.path &&
			place.start >= first.start &&
			place.start + place.length - first.start <= PIECE_BYTES;
		if (isNear) group?.push(place);
		else groups.push([place]);
	}
	return groups;
}

/** Numeric columns instead of objects: a long thread has a hundred thousand places. */
function createPlaces(from?: SavedPlaces & { readonly path: string }): Pick<EventLog, "last" | "add" | "save"> & {
	/** The places with a number after `after` and up to `end`. */
	readonly between: (after: number, end: number) => readonly EventPlace[];
} {
	const paths: string[] = from === undefined ? [] : [from.path];
	let count = from?.seqs.length ?? 0;
	const size = Math.max(256, count);
	let seqs = enlarge(from?.seqs ?? [], new Float64Array(size));
	let starts = enlarge(from?.starts ?? [], new Float64Array(size));
	let lengths = enlarge(from?.lengths ?? [], new Uint32Array(size));
	let files = new Uint16Array(size);
	const last = (): number => (count === 0 ? 0 : (seqs[count - 1] ?? 0));
	const indexFile = (path: string): number => {
		const known = paths.lastIndexOf(path);
		return known >= 0 ? known : paths.push(path) - 1;
	};
	const grow = (): void => {
		seqs = enlarge(seqs, new Float64Array(count * 2));
		starts = enlarge(starts, new Float64Array(count * 2));
		lengths = enlarge(lengths, new Uint32Array(count * 2));
		files = enlarge(files, new Uint16Array(count * 2));
	};
	/** Index of the first place whose number is greater than `seq`. */
	const after = (seq: number): number => {
		let low = 0;
		let high = count;
		while (low < high) {
			const middle = (low + high) >> 1;
			if ((seqs[middle] ?? 0) <= seq) low = middle + 1;
			else high = middle;
		}
		return low;
	};
	return {
		last,
		add: (places) => {
			for (const { seq, path, start, length } of places) {
				if (seq <= last()) continue;
				if (count === seqs.length) grow();
				seqs[count] = seq;
				starts[count] = start;
				lengths[count] = length;
				files[count] = indexFile(path);
				count += 1;
			}
		},
		save: () => ({
			seqs: seqs.slice(0, count),
			starts: starts.slice(0, count),
			lengths: lengths.slice(0, count),
		}),
		between: (first, end) => {
			const [from, to] = [after(first), after(end)];
			return Array.from({ length: Math.max(0, to - from) }, (_, index) => ({
				seq: seqs[from + index] ?? 0,
				path: paths[files[from + index] ?? 0] ?? "",
				start: starts[from + index] ?? 0,
				length: lengths[from + index] ?? 0,
			}));
		},
	};
}

function enlarge<T extends Float64Array | Uint32Array | Uint16Array>(from: ArrayLike<number>, to: T): T {
	to.set(from);
	return to;
}
