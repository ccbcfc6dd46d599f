import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import type { Answered } from "../../model/cache-break.ts";
import type { HostError } from "../../protocol/errors.ts";
import type { ItemId, TurnId } from "../../protocol/ids.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { DurableEvent, PublishedEvent } from "../../protocol/thread/events.ts";
import type { ActiveCompaction } from "../../store/log/active-compactions.ts";
import type { Blobs } from "../../store/log/blobs.ts";
import type { EventLog } from "../../store/log/event-log.ts";
import type { Keeper } from "../../store/log/keep-growing.ts";
import { readHistory } from "../../store/log/load-thread.ts";
import type { Durability, ThreadLog, WrittenRecords } from "../../store/log/thread-log.ts";
import type { RecordBody } from "../../store/records/record.ts";
import { applyRecord } from "../../store/records/replay.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { CompactionRequest } from "./compaction-request.ts";
import { createLiveTexts, type GrowingItem, type LiveText } from "./live-texts.ts";
import type { Spending } from "./spending.ts";

/** A record before it has its number. */
export type Draft = Exclude<RecordBody, { kind: "event" }> | { readonly kind: "event"; readonly event: DurableEvent };

export type Drafts = readonly Draft[] | ((state: ThreadState) => readonly Draft[]);

export interface RunningTurn {
	readonly turnId: TurnId;
	readonly envelope: TurnEnvelope;
	/** What was chosen for this turn only. */
	readonly chosen?: PartialSettings | undefined;
	readonly abort: AbortController;
	/** Whether a turn that began now, with the same choices, would have all of its rights. If not, it only reads. */
	isWithinRights: Promise<boolean>;
	/** Absent for a user's command, which asks no model. */
	readonly spending?: Spending | undefined;
	/** Resolves when the turn has ended and its end is recorded. */
	readonly ended: Promise<void>;
	/** A manual compaction for the next step boundary. Clear it when it begins. */
	compaction: CompactionRequest | undefined;
	/** Whether a compaction is in progress, on request or not. */
	isCompacting: boolean;
}

/** A thread that this host has open: its state, and the one queue through which it changes. */
export interface LiveThread {
	readonly state: () => ThreadState;
	readonly events: Pick<EventLog, "last" | "read">;
	/** The whole history, read from disk where it is not in memory. */
	readonly readHistory: () => Promise<readonly HistoryItem[]>;
	/** The compactions that were not undone, from the log, oldest first. */
	readonly readActiveCompactions: () => Promise<readonly ActiveCompaction[]>;
	/** An externalized value by its name; undefined if it is missing or damaged. */
	readonly readExternalValue: (sha256: string) => Promise<unknown>;
	/**
	 * Records, applies and publishes, in the order of the calls. Rejects if the records could not be written. A function
	 * receives the state when its turn comes and returns the records; if it throws, this rejects with the error.
	 */
	readonly commit: (drafts: Drafts, durability: Durability) => Promise<void>;
	/** Changes a thread without records, and publishes that; its header will contain this. */
	readonly configure: (change: Pick<ThreadState, "settings" | "cwd">) => void;
	/** Publishes streamed text and keeps it for later readers; it is not recorded here. */
	readonly streamText: (item: GrowingItem, text: string) => void;
	/** Drops the text in progress of an item that will not be recorded. */
	readonly dropText: (itemId: ItemId) => void;
	/** Texts of the items in progress; the most recently changed one comes first. */
	readonly live: () => readonly LiveText[];
	/** Digests of what the user allowed for this thread. In memory only: consent is never read from a record. */
	readonly grants: Set<string>;
	/** Complete diffs of pending approvals whose cards show only the beginning, by approval. */
	readonly longDiffs: Map<string, string>;
	running: RunningTurn | undefined;
	/** Whether a turn is just being made durable. */
	isStarting: boolean;
	/** Resolves when the user's own change of files or history is done; no turn begins before. */
	reserved: Promise<void> | undefined;
	/** The last request of this host, which the provider may have in its cache. */
	lastSent: Answered | undefined;
	/** Servers that have counted tokens in a cache of theirs. */
	readonly cachingServers: Set<string>;
	/** The model and the reasoning effort that the user was last told it does not have. */
	effortTold: string | undefined;
	/** Runs the hooks for a session's end; undefined until those for its start have run, since it was opened. */
	endSession: (() => Promise<void>) | undefined;
	/** Warnings that are given once in a thread. */
	readonly warned: Set<string>;
	/**
	 * The number of consecutive automatic compactions without effect, and the token count of the request before the last
	 * one, until the next count arrives.
	 */
	compacted: { readonly inVain: number; readonly before: number | undefined } | undefined;
	/** Why this host may not write to the thread, if so. */
	readonly refusal: HostError | undefined;
	/** Reads what another process has written to the thread. "reopen": the thread must be reopened. */
	readonly catchUp: () => Promise<"done" | "reopen">;
	/** Releases the thread after `last`, which still has exclusive access. */
	readonly close: (last?: () => Promise<void>) => Promise<void>;
}

/** What another process has added to a thread since the last call; undefined if it must be reopened. */
export type Tail = () => Promise<Omit<WrittenRecords, "bytes"> | undefined>;

export function createLiveThread(options: {
	readonly state: ThreadState;
	readonly log: ThreadLog;
	readonly events: EventLog;
	readonly blobs: Blobs;
	readonly readActiveCompactions: LiveThread["readActiveCompactions"];
	readonly tail?: Tail | undefined;
	readonly keeper?: Keeper | undefined;
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
		options.keeper?.grown(written.bytes, state.openTurn === undefined);
	};
	return {
		state: () => state,
		events: options.events,
		readHistory: () => readHistory(state, options.blobs),
		readActiveCompactions: options.readActiveCompactions,
		readExternalValue: async (sha256) => {
			const json = await options.blobs.get(sha256);
			return json === undefined ? undefined : JSON.parse(json);
		},
		commit: (drafts, durability) => {
			if (options.refusal !== undefined) return Promise.reject(options.refusal);
			return enqueue(() => commit(drafts, durability));
		},
		configure: ({ settings, cwd }) => {
			state = { ...state, settings, cwd };
			const folder = cwd === undefined ? {} : { cwd };
			options.publish({ at: options.now(), event: { type: "settingsChanged", settings, ...folder } });
		},
		streamText: (item, text) => {
			const event = { type: "itemDelta", ...item, ...texts.append(item, text) } as const;
			options.publish({ at: options.now(), event });
		},
		dropText: (itemId) => texts.end(itemId),
		live: () => {
			// The last saved text of a turn that another process runs.
			const saved = options.refusal === undefined ? undefined : state.openTurn?.live;
			return saved === undefined ? texts.read() : [saved];
		},
		grants: new Set(),
		longDiffs: new Map(),
		running: undefined,
		isStarting: false,
		reserved: undefined,
		lastSent: undefined,
		cachingServers: new Set(),
		effortTold: undefined,
		endSession: undefined,
		warned: new Set(),
		compacted: undefined,
		refusal: options.refusal,
		catchUp: async () => {
			let added: Awaited<ReturnType<Tail>>;
			// One at a time: what is read twice would be applied twice.
			await enqueue(async () => {
				added = await options.tail?.();
				options.events.add(added?.events ?? []);
				for (const record of added?.records ?? []) state = applyRecord(state, record);
			});
			return added === undefined ? "reopen" : "done";
		},
		close: (last) =>
			enqueue(async () => {
				await options.keeper?.close();
				await options.log.close(last);
			}),
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
