import type { ThreadId } from "../../protocol/ids.ts";
import { extractConversation } from "./conversation.ts";
import type { ThreadRecord } from "./record.ts";
import { readSeal, type SealKey } from "./record-seal.ts";

/** Distinguishes this host's records from others: its key, and the newest proved seal of the thread's rights. */
export interface Proof {
	readonly threadId: ThreadId;
	readonly key: SealKey | undefined;
	readonly pinned: string | undefined;
}

/** How far a thread's own choices can be trusted. */
export interface Rights {
	/** "unsealed": there never was a seal, as in threads of older releases. "changed": one is wrong or missing. */
	readonly state: "proved" | "unsealed" | "changed";
	/** The seal that the next one refers to. */
	readonly seal: string;
}

export interface Admission {
	/**
	 * What counts of a record, given the JSON of its line: all of it under our seal, otherwise the conversation in it.
	 */
	readonly admit: (record: ThreadRecord, json: string) => ThreadRecord | undefined;
	readonly rights: () => Rights;
	readonly save: () => Admitted;
}

/** What was found in the records so far. */
export interface Admitted {
	/** The newest record that grants rights, regardless of its author. */
	readonly newest: { readonly isOwn: boolean; readonly seal: string | undefined; readonly after: unknown } | undefined;
	readonly isEnvelopeOurs: boolean;
}

/** Examines the records of one thread in order, or those after the ones that were. */
export function createAdmission({ threadId, key, pinned }: Proof, from?: Admitted): Admission {
	let newest = from?.newest;
	let isEnvelopeOurs = from?.isEnvelopeOurs ?? true;
	const admitRights = (record: ThreadRecord, isOwn: boolean, json: string): ThreadRecord | undefined => {
		newest = { isOwn, seal: readSeal(json), after: record.after };
		if (record.body.kind === "thread")
			return { ...record, body: isOwn ? record.body : bareHeader(threadId, record.body) };
		if (isOwn || record.body.kind !== "settings") return record;
		return { ...record, body: { kind: "settings", settings: {} } };
	};
	const admitEnvelope = (record: ThreadRecord, isOwn: boolean): ThreadRecord => {
		const { body } = record;
		if (body.kind !== "envelope") return record;
		// A patch depends on its base; null starts a new one.
		isEnvelopeOurs = isOwn && (isEnvelopeOurs || body.patch === null);
		return isEnvelopeOurs ? record : { ...record, body: { ...body, patch: null } };
	};
	return {
		admit: (record, json) => {
			const isOwn = key?.holds(threadId, json) ?? false;
			switch (record.body.kind) {
				case "thread":
				case "settings":
					return admitRights(record, isOwn, json);
				case "envelope":
					return admitEnvelope(record, isOwn);
				case "told":
					return isOwn ? record : { ...record, body: { kind: "told", snapshot: {} } };
				case "items":
				case "rewrite":
				case "mute":
				case "images":
				case "attached":
				case "event":
				case "touch":
				case "review":
				case "request":
				case "spent":
				case "partial":
					return isOwn ? record : withConversation(record);
			}
		},
		save: () => ({ newest, isEnvelopeOurs }),
		rights: () => {
			const seal = pinned ?? "";
			if (newest?.isOwn !== true) {
				const wasNever = newest?.seal === undefined && pinned === undefined;
				return { state: wasNever ? "unsealed" : "changed", seal };
			}
			// If a host died between the record and its pin, the newest record follows the pinned seal.
			const isNewest = pinned !== undefined && (newest.seal === pinned || newest.after === pinned);
			return isNewest ? { state: "proved", seal: newest.seal ?? "" } : { state: "changed", seal };
		},
	};
}

function withConversation(record: ThreadRecord): ThreadRecord | undefined {
	const body = extractConversation(record.body);
	return body && { ...record, body };
}

/** The start of a thread, and of its header only where it ran. */
function bareHeader(
	threadId: ThreadId,
	{ cwd, source }: Extract<ThreadRecord["body"], { readonly kind: "thread" }>,
): ThreadRecord["body"] {
	const isKnown = source === "fork" || source === "import";
	return {
		kind: "thread",
		threadId,
		settings: {},
		baseInstructions: "",
		...(typeof cwd === "string" ? { cwd } : {}),
		...(isKnown ? { source } : {}),
	};
}
