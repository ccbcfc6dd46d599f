import type { PublishedEvent } from "../protocol/events.ts";
import { TurnId } from "../protocol/ids.ts";
import type { Disk } from "./disk.ts";
import { decodeRecord } from "./record.ts";

/** Where an event's line stands. */
export interface EventPlace {
	readonly seq: number;
	readonly path: string;
	readonly start: number;
	readonly length: number;
}

/** The events of a thread, which stay on disk until somebody reads them. */
export interface EventLog {
	/** Number of the newest event. */
	readonly last: () => number;
	readonly add: (places: readonly EventPlace[]) => void;
	/** At most `limit` events after number `after`. What cannot be read any more is said in its place. */
	readonly read: (after: number, limit: number) => Promise<readonly PublishedEvent[]>;
}

const UNREADABLE = {
	type: "warning",
	turnId: TurnId.parse("unreadable"),
	code: "unreadable",
	message: "One record of this thread is unreadable and was left out.",
} as const;

export function createEventLog(disk: Disk, known: readonly EventPlace[]): EventLog {
	const places = [...known];
	const last = () => places.at(-1)?.seq ?? 0;
	return {
		last,
		add: (more) => places.push(...more),
		async read(after, limit) {
			const first = lowerBound(places, after + 1);
			const page = places.slice(first, lowerBound(places, after + limit + 1));
			const events = await readPlaces(disk, page);
			const end = Math.min(after + limit, last());
			return Array.from({ length: Math.max(0, end - after) }, (_, index) => {
				const seq = after + index + 1;
				return events.get(seq) ?? { seq, at: 0, event: UNREADABLE };
			});
		},
	};
}

// One read a file: events lie close together, with few other records between them.
async function readPlaces(disk: Disk, page: readonly EventPlace[]): Promise<ReadonlyMap<number, PublishedEvent>> {
	const events = new Map<number, PublishedEvent>();
	for (const [path, group] of Map.groupBy(page, (place) => place.path)) {
		const start = Math.min(...spread(group, (place) => place.start));
		const end = Math.max(...spread(group, (place) => place.start + place.length));
		const bytes = await disk.readRange(path, start, end - start);
		for (const place of group) {
			const line = bytes.toString("utf8", place.start - start, place.start - start + place.length);
			const decoded = decodeRecord(line);
			if (decoded.state !== "good" || decoded.record.body.kind !== "event") continue;
			const { body, at } = decoded.record;
			events.set(body.seq, { seq: body.seq, at, event: body.event });
		}
	}
	return events;
}

// The first and the last are enough: places are in the order of the file.
function spread(group: readonly EventPlace[], measure: (place: EventPlace) => number): readonly number[] {
	return [group[0], group.at(-1)].flatMap((place) => (place === undefined ? [] : [measure(place)]));
}

function lowerBound(places: readonly EventPlace[], seq: number): number {
	let low = 0;
	let high = places.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((places[middle]?.seq ?? 0) < seq) low = middle + 1;
		else high = middle;
	}
	return low;
}
