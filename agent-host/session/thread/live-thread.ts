import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import type { Sent } from "../../model/cache-break.ts";
import type { HostError } from "../../protocol/errors.ts";
import type { ItemId, TurnId } from "../../protocol/ids.ts";
import type { DurableEvent, PublishedEvent } from "../../protocol/thread/events.ts";
import type { Standing } from "../../store/log/active-compactions.ts";
import type { Blobs } from "../../store/log/blobs.ts";
import type { EventLog } from "../../store/log/event-log.ts";
import { readHistory } from "../../store/log/load-thread.ts";
import type { Durability, ThreadLog, Written } from "../../store/log/thread-log.ts";
import type { RecordBody } from "../../store/records/record.ts";
import { applyRecord } from "../../store/records/replay.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { CompactionRequest } from "./compaction-request.ts";
import { createLiveTexts, type Growing, type LiveText } from "./live-texts.ts";

/** A record before it has its number. */
export type Draft = Exclude<RecordBody, { kind: "event" }> | { readonly kind: "event"; readonly event: DurableEvent };

export type Drafts = readonly Draft[] | ((state: ThreadState) => readonly Draft[]);

export interface RunningTurn {
	readonly turnId: TurnId;
	readonly envelope: TurnEnvelope;
	readonly abort: AbortController;
	/** Resolves when the turn has ended and its end is recorded. */
	readonly ended: Promise<void>;
	/** A compaction by hand, for the next step boundary. Whoever begins it takes it out. */
	compaction: CompactionRequest | undefined;
}

/** A thread that this host has open: its state, and the one queue through which it changes. */
export interface LiveThread {
	readonly state: () => ThreadState;
	readonly events: Pick<EventLog, "last" | "read">;
	/** All that the model is sent again, read from the disk where it is not in memory. */
	readonly readHistory: () => Promise<readonly HistoryItem[]>;
	/** The compactions that stand, as the log tells them, oldest first. */
	readonly readStanding: () => Promise<readonly Standing[]>;
	/** A value that is kept apart from the records, by its name; undefined when it is missing or damaged. */
	readonly readApart: (sha256: string) => Promise<unknown>;
	/**
	 * Records, applies and publishes, in the order of the calls. Rejects when the records could not be written. Given a function,
	 * the records are what it makes of the state when its turn comes; what it throws, this rejects with.
	 */
	readonly commit: (drafts: Drafts, durability: Durability) => Promise<void>;
	/** Changes a thread that has no record yet; its header will hold this. */
	readonly configure: (change: Pick<ThreadState, "settings" | "cwd">) => void;
	/** Text that streams in: published, and kept for readers that come later; not recorded here. */
	readonly streamText: (item: Growing, text: string) => void;
	/** Forgets a text in flight that no item will hold. */
	readonly dropText: (itemId: ItemId) => void;
	/** Texts of the items in flight; the one that grew last comes first. */
	readonly live: () => readonly LiveText[];
	/** Digests of what the user allowed for this thread. In memory only: consent is never read from a record. */
	readonly grants: Set<string>;
	/** Whole diffs of the approvals that wait and whose cards show only the beginning, by approval. */
	readonly longDiffs: Map<string, string>;
	running: RunningTurn | undefined;
	/** The request that this host sent last; what the provider's cache may still hold. */
	lastSent: Sent | undefined;
	/**
	 * How many automatic compactions in a row were in vain, and what the request before the last of them was counted as, until
	 * the next one is.
	 */
	compacted: { readonly inVain: number; readonly before: number | undefined } | undefined;
	/** Why this host may not write to the thread, when that is so. */
	readonly refusal: HostError | undefined;
	/** Takes in what another process has written to the thread. "anew": it has to be opened again for that. */
	readonly catchUp: () => Promise<"done" | "anew">;
	/** Lets go of the thread, after `last`, which still has it to itself. */
	readonly close: (last?: () => Promise<void>) => Promise<void>;
}

/** What another process has added to a thread since the last call; undefined when it has to be opened again. */
export type Tail = () => Promise<Written | undefined>;

export function createLiveThread(options: {
	readonly state: ThreadState;
	readonly log: ThreadLog;
	readonly events: EventLog;
	readonly blobs: Blobs;
	readonly readStanding: LiveThread["readStanding"];
	readonly tail?: Tail | undefined;
	readonly publish: (event: PublishedEvent) => void;
	readonly now: () => number;
	readonly refusal?: HostError | undefined;
}): LiveThread {
	let state = options.state;
	const texts = createLiveTexts();
	let queue: Promise<void> = Promise.resolve();
	const enqueue = (work: () => Promise<void>): Promise<void> => {
		const result = queue.then(work);
		queue = result.catch(() => undefined);
		return result;
	};
	const commit = async (wanted: Drafts, durability: Durability): Promise<void> => {
		const drafts = typeof wanted === "function" ? wanted(state) : wanted;
		if (drafts.length === 0) return;
		const written = await options.log.append(numberEvents(drafts, options.events.last()), durability);
		options.events.add(written.events);
		for (const record of written.records) {
			state = applyRecord(state, record);
			if (record.body.kind !== "event") continue;
			const { seq, event } = record.body;
			if (event.type === "itemCompleted") texts.end(event.item.id);
			options.publish({ seq, at: record.at, event });
		}
	};
	return {
		state: () => state,
		events: options.events,
		readHistory: () => readHistory(state, options.blobs),
		readStanding: options.readStanding,
		readApart: async (sha256) => {
			const json = await options.blobs.get(sha256);
			return json === undefined ? undefined : JSON.parse(json);
		},
		commit: (drafts, durability) => {
			if (options.refusal !== undefined) return Promise.reject(options.refusal);
			return enqueue(() => commit(drafts, durability));
		},
		configure: (change) => {
			state = { ...state, ...change };
		},
		streamText: (item, text) => {
			const event = { type: "itemDelta", ...item, ...texts.append(item, text) } as const;
			options.publish({ at: options.now(), event });
		},
		dropText: (itemId) => texts.end(itemId),
		live: () => {
			// Of a turn that another process runs, the text as it was last saved.
			const saved = options.refusal === undefined ? undefined : state.openTurn?.live;
			return saved === undefined ? texts.read() : [saved];
		},
		grants: new Set(),
		longDiffs: new Map(),
		running: undefined,
		lastSent: undefined,
		compacted: undefined,
		refusal: options.refusal,
		catchUp: async () => {
			let added: Written | undefined;
			// One after the other: what is read twice would be applied twice.
			await enqueue(async () => {
				added = await options.tail?.();
				options.events.add(added?.events ?? []);
				for (const record of added?.records ?? []) state = applyRecord(state, record);
			});
			return added === undefined ? "anew" : "done";
		},
		close: (last) => enqueue(() => options.log.close(last)),
	};
}

function numberEvents(drafts: readonly Draft[], last: number): readonly RecordBody[] {
	let seq = last;
	return drafts.map((draft) => {
		if (draft.kind !== "event") return draft;
		seq += 1;
		return { kind: "event", seq, event: draft.event };
	});
}
