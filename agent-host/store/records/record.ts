import { crc32 } from "node:zlib";
import * as z from "zod";
import { WorldSnapshot } from "../../context/section.ts";
import { HistoryItem, UserImage } from "../../history/history-item.ts";
import { AgentHeader } from "../../protocol/agent.ts";
import { ItemId, ThreadId, TurnId } from "../../protocol/ids.ts";
import { PartialSettings } from "../../protocol/settings/settings.ts";
import { ReviewMark, TouchedFile } from "../../protocol/thread/changes.ts";
import { SpentSoFar, ThreadEvent } from "../../protocol/thread/events.ts";
import { Item } from "../../protocol/thread/item.ts";

export const RECORD_VERSION = 1;

/** Limit for the line in place of a muted text. */
const MAX_MUTE_LINE_CHARS = 200;

/** Settings that a thread took from the client at its first turn and keeps: its model and its permissions. */
const Held = PartialSettings.pick({ model: true, permissions: true, approval: true });

/** The records of a thread's file. Kinds and fields are persisted: never renamed. */
export const RecordBody = z.discriminatedUnion("kind", [
	/** First record of every thread. */
	z.object({
		kind: z.literal("thread"),
		threadId: ThreadId,
		cwd: z.string().optional(),
		settings: PartialSettings,
		/** Absent in threads of older releases. */
		held: Held.optional(),
		baseInstructions: z.string(),
		/** Absent in threads of older releases, which the user started. */
		source: z.enum(["user", "fork", "import", "agent"]).optional(),
		/** Set if the thread belongs to a sub-agent. */
		agent: AgentHeader.optional(),
	}),
	/** The complete settings for the next and later turns, as the client set them for this thread. */
	z.object({
		kind: z.literal("settings"),
		cwd: z.string().optional(),
		settings: PartialSettings,
		/** Absent if unchanged. */
		held: Held.optional(),
	}),
	/**
	 * The sealed envelope of a turn, as a merge patch on the previous one; the base instructions are only in the header.
	 */
	z.object({ kind: z.literal("envelope"), turnId: TurnId, patch: z.json() }),
	/** A published event; the transcript is a fold of these. */
	z.object({ kind: z.literal("event"), seq: z.int().min(1), event: ThreadEvent }),
	/** Images of a turn's input, until the history contains them. */
	z.object({ kind: z.literal("images"), turnId: TurnId, items: z.array(UserImage) }),
	/** Other attachments of a steering message, as text, until the history contains them. */
	z.object({ kind: z.literal("attached"), turnId: TurnId, items: z.array(HistoryItem) }),
	/** Model-visible history, in order. */
	z.object({ kind: z.literal("items"), turnId: TurnId, items: z.array(HistoryItem) }),
	/**
	 * Replaces the history: its first `keep` items, then `items`. What the model was told no longer counts. A compaction
	 * can be undone until the next one; undoing it puts the former items back before those that came since.
	 */
	z.object({
		kind: z.literal("rewrite"),
		reason: z.enum(["rollback", "compaction", "undo"]),
		keep: z.int().min(0),
		items: z.array(HistoryItem),
		/** Where the turns begin that stay complete in the new history beyond `keep`. */
		starts: z
			.array(
				z.object({
					turnId: TurnId,
					at: z.int().min(0),
					/** The model that answered. */
					by: z.object({ provider: z.string(), model: z.string() }).optional(),
				}),
			)
			.optional(),
		/** Compactions that were undone by a rollback, because they were made in one of its turns or later. */
		undone: z.int().min(1).optional(),
	}),
	/**
	 * Puts a line in place of the text of one history item, which stays in the records; without a line, the text is back.
	 * What the model was told no longer counts.
	 */
	z.object({ kind: z.literal("mute"), at: z.int().min(0), line: z.string().max(MAX_MUTE_LINE_CHARS).optional() }),
	/**
	 * Files that the agent is about to change, or that its command has changed. Their contents are snapshots. `undone`:
	 * the same files again, because nothing was changed after all.
	 */
	z.object({
		kind: z.literal("touch"),
		turnId: TurnId,
		files: z.array(TouchedFile),
		undone: z.boolean().optional(),
		/**
		 * When the contents before were read, which for a command is before it began: tells which of several threads found
		 * the oldest one. Absent in threads of older releases.
		 */
		since: z.number().optional(),
	}),
	/** How far files have been reviewed. */
	z.object({ kind: z.literal("review"), marks: z.array(ReviewMark) }),
	/** The digest of a request before it was sent, so that a replay can compare its own. */
	z.object({ kind: z.literal("request"), turnId: TurnId, digest: z.string() }),
	/** What the turn and the thread have cost by now, when others have spent for it, such as its sub-agents. */
	z.object({ kind: z.literal("spent"), turnId: TurnId, spent: SpentSoFar }),
	/** What the model has been told about the world after the items before this record. */
	z.object({ kind: z.literal("told"), snapshot: WorldSnapshot }),
	/** Text of an item in progress, from `offset` on; written without a sync, so a crash may lose the last of them. */
	z.object({
		kind: z.literal("partial"),
		turnId: TurnId,
		itemId: ItemId,
		itemKind: z.enum(["agentMessage", "reasoning"]),
		offset: z.int().min(0),
		text: z.string(),
	}),
]);
export type RecordBody = z.infer<typeof RecordBody>;

/** Where an externalized value belongs in the body, and its name, the SHA-256 of its JSON. */
export const Reference = z.object({
	path: z.array(z.union([z.string(), z.int().min(0)])).min(1),
	sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Reference = z.infer<typeof Reference>;
const References = z.array(Reference);

export interface ThreadRecord {
	readonly v: typeof RECORD_VERSION;
	/** Position in the file, from 1; a gap means that records are missing. */
	readonly n: number;
	readonly at: number;
	readonly body: RecordBody;
	/** Externalized values; a notice takes their place in the body. */
	readonly refs?: readonly Reference[];
	/** For a record that grants rights: the previous seal, empty for the first. */
	readonly after?: string;
	/** This host's proof that it wrote the record. Absent if none is needed, and in threads of older releases. */
	readonly seal?: string;
}

export type DecodedLine =
	| { readonly state: "good"; readonly record: ThreadRecord }
	/** The bytes differ from what was written. */
	| { readonly state: "damaged" }
	/** The bytes are intact, but written by a newer release. */
	| { readonly state: "newer" };

export const CHECKSUM_CHARS = 8;

/** One line: checksum, a space, JSON, a line feed. JSON never contains a raw line feed. */
export function encodeRecord(record: ThreadRecord): string {
	return encodeLine(record);
}

export function encodeLine(value: object): string {
	return frameJson(JSON.stringify(value));
}

/** The line of a record whose JSON is known. */
export function frameJson(json: string): string {
	return `${checksum(json)} ${json}\n`;
}

/** The content of a line, regardless of its author; undefined if it is damaged. */
export function checkedJson(line: string): unknown {
	const json = line.slice(CHECKSUM_CHARS + 1);
	return line.slice(0, CHECKSUM_CHARS + 1) === `${checksum(json)} ` ? parseJson(json) : undefined;
}

/** Decodes a line without its line feed. Every byte counts: the checksum is compared as written, including case. */
export function decodeRecord(line: string): DecodedLine {
	const json = line.slice(CHECKSUM_CHARS + 1);
	if (line.slice(0, CHECKSUM_CHARS + 1) !== `${checksum(json)} `) return { state: "damaged" };
	return parseRecord(json);
}

/**
 * Parses the JSON of a line with a correct checksum. Only detects what a later release could have added;
 * `admit-records.ts` decides what counts of a record that may not be ours.
 */
export function parseRecord(json: string): Exclude<DecodedLine, { state: "damaged" }> {
	const record = parseJson(json) as ThreadRecord | undefined;
	try {
		if (record !== undefined && isUnderstood(record)) return { state: "good", record };
	} catch {
		// A completely different shape.
	}
	return { state: "newer" };
}

interface KnownKinds {
	readonly records: ReadonlySet<string>;
	readonly events: ReadonlySet<string>;
	readonly items: ReadonlySet<string>;
	readonly history: ReadonlySet<string>;
}

let known: KnownKinds | undefined;

/** What this release can read. Only listed when a record is read, because it takes the schema of every kind. */
export function knownKinds(): KnownKinds {
	known ??= {
		records: new Set<string>(RecordBody.options.map((option) => option.shape.kind.value)),
		events: new Set<string>(ThreadEvent.options.map((option) => option.shape.type.value)),
		items: new Set<string>(
			Item.options.flatMap(({ shape: { kind } }) => ("options" in kind ? kind.options : [kind.value])),
		),
		history: new Set<string>(HistoryItem.options.map((option) => option.shape.kind.value)),
	};
	return known;
}

function isUnderstood({ v, body, refs }: ThreadRecord): boolean {
	const { records, events, items, history } = knownKinds();
	if (v !== RECORD_VERSION || !records.has(body?.kind)) return false;
	if (refs !== undefined && !References.safeParse(refs).success) return false;
	if (body.kind === "items" || body.kind === "rewrite") return body.items.every((item) => history.has(item.kind));
	if (body.kind !== "event") return true;
	return events.has(body.event.type) && (!("item" in body.event) || items.has(body.event.item.kind));
}

function checksum(json: string): string {
	return crc32(json).toString(16).padStart(CHECKSUM_CHARS, "0");
}

function parseJson(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}
