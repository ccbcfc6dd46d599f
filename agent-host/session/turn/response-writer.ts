import type { HistoryItem } from "../../history/history-item.ts";
import { truncateMiddle } from "../../history/truncate.ts";
import { type ModelEvent, ModelFailure } from "../../model/port.ts";
import { ItemId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { Draft } from "../thread/live-thread.ts";
import type { Turn } from "../thread/running-turn.ts";

/** Streamed text reaches the disk at least this often. */
const CHECKPOINT_MS = 500;
/** Limit for one record of streamed text: it always fits into a line, so that it is never externalized. */
const PIECE_CHARS = 10_000;
/**
 * Limit for one response, several times what any model can say at once; stops a model that repeats itself endlessly.
 */
const MAX_RESPONSE_CHARS = 2_000_000;

type Delta = Extract<ModelEvent, { type: "delta" }>;
type AgentMessage = Extract<HistoryItem, { kind: "agentMessage" }>;
type DraftPiece = Extract<ModelEvent, { type: "draft" }>;
type FinishedItem = Extract<ModelEvent, { type: "item" }>;

/** Turns one streamed response into published items and history. */
export interface ResponseWriter {
	readonly delta: (event: Delta) => Promise<void>;
	readonly draft: (event: DraftPiece) => Promise<void>;
	readonly item: (event: FinishedItem) => Promise<void>;
	/** The items of the response, once it is complete. */
	readonly items: () => readonly HistoryItem[];
	/** Ends the item in progress. "keep": its text becomes history; "drop": the request will be retried. */
	readonly cut: (text: "keep" | "drop") => Promise<void>;
}

interface OpenItem {
	readonly key: string;
	readonly id: ItemId;
	readonly kind: Delta["kind"];
	text: string;
	checkpointed: number;
}

export function createResponseWriter({ thread, envelope, ports, signal }: Turn): ResponseWriter {
	const { turnId } = envelope.identity;
	const done: HistoryItem[] = [];
	/** Texts that were shown before something else began, by their key: more of each may come. */
	const shown = new Map<string, string>();
	let open: OpenItem | undefined;
	let draft: { readonly key: string; readonly id: ItemId } | undefined;
	let chars = 0;
	let cancelCheckpoint: (() => void) | undefined;

	const start = async (key: string, kind: Delta["kind"]): Promise<OpenItem> => {
		const item = { key, id: ItemId.parse(ports.newId()), kind, text: "", checkpointed: 0 };
		const event = { type: "itemStarted", turnId, item: { kind, id: item.id, text: "" } } as const;
		open = item;
		await thread.commit([{ kind: "event", event }], "unsynced");
		return item;
	};
	const checkpoint = async (item: OpenItem): Promise<void> => {
		cancelCheckpoint = undefined;
		const text = item.text.slice(item.checkpointed);
		if (open !== item || text === "") return;
		const partials = splitPieces(text).map((piece, index): Draft => {
			const offset = item.checkpointed + index * PIECE_CHARS;
			return { kind: "partial", turnId, itemId: item.id, itemKind: item.kind, offset, text: piece };
		});
		item.checkpointed = item.text.length;
		await thread.commit(partials, "unsynced").catch((error) => ports.log("warning", String(error)));
	};
	const finish = async (item: OpenItem, text: string, cut: boolean): Promise<void> => {
		open = undefined;
		cancelCheckpoint?.();
		cancelCheckpoint = undefined;
		const whole = { kind: item.kind, id: item.id, text, ...(cut ? { cut } : {}) };
		await thread.commit([{ kind: "event", event: { type: "itemCompleted", turnId, item: whole } }], "unsynced");
	};

	// A runaway answer is shown in full, but must not fill the window of all later requests.
	const bounded = (item: AgentMessage): AgentMessage => ({
		...item,
		text: truncateMiddle(item.text, envelope.identity.budgets.toolOutput),
	});

	const dropDraft = (): void => {
		if (draft !== undefined) thread.dropText(draft.id);
		draft = undefined;
	};
	/** While the client does not drain, no more is read from the model. */
	const waitForReader = async (): Promise<void> => {
		const drained = ports.waitForDrain(signal);
		if (drained !== undefined) await drained;
	};

	return {
		async delta({ key, kind, text }) {
			if (open !== undefined && open.key !== key) {
				shown.set(open.key, (shown.get(open.key) ?? "") + open.text);
				await finish(open, open.text, false);
			}
			const item = open ?? (await start(key, kind));
			chars += text.length;
			if (chars > MAX_RESPONSE_CHARS) throw tooLong();
			item.text += text;
			thread.streamText({ turnId, itemId: item.id, itemKind: item.kind }, text);
			cancelCheckpoint ??= ports.setTimer(CHECKPOINT_MS, () => void checkpoint(item));
			await waitForReader();
		},
		async draft({ key, text }) {
			if (draft?.key !== key) {
				dropDraft();
				draft = { key, id: ItemId.parse(ports.newId()) };
			}
			thread.streamText({ turnId, itemId: draft.id, itemKind: "draft" }, text);
			await waitForReader();
		},
		async item({ key, item }) {
			dropDraft();
			done.push(item);
			if (item.kind === "agentMessage") {
				const before = shown.get(key) ?? "";
				const text = item.text.startsWith(before) ? item.text.slice(before.length) : item.text;
				if (text === "" && before !== "" && open?.key !== key) return;
				const current = open?.key === key ? open : await start(key, "agentMessage");
				chars += Math.max(0, text.length - current.text.length);
				await finish(current, text, false);
				if (chars > MAX_RESPONSE_CHARS) throw tooLong();
			} else if (open?.key === key) await finish(open, open.text, false);
		},
		items: () => done,
		async cut(text) {
			dropDraft();
			const cutOff = open;
			if (cutOff !== undefined) await finish(cutOff, cutOff.text, true);
			if (text === "drop") return;
			const said = done.filter((item) => item.kind === "agentMessage").map(bounded);
			if (cutOff?.kind === "agentMessage" && cutOff.text !== "") {
				said.push(bounded({ kind: "agentMessage", text: cutOff.text, cut: true }));
			}
			if (said.length > 0) await thread.commit([{ kind: "items", turnId, items: said }], "unsynced");
		},
	};
}

function splitPieces(text: string): readonly string[] {
	const count = Math.ceil(text.length / PIECE_CHARS);
	return Array.from({ length: count }, (_, index) => text.slice(index * PIECE_CHARS, (index + 1) * PIECE_CHARS));
}

function tooLong(): ModelFailure {
	return new ModelFailure("bad-stream", say("model-wrote-too-much", { most: MAX_RESPONSE_CHARS }), {
		retryable: false,
	});
}
