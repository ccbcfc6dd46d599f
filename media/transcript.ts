import type { DurableEvent, PublishedEvent, ThreadEvent } from "../agent-host/protocol/events.ts";
import { cutEntry, type Entry, entryOfItem } from "./entry.ts";
import { TranscriptDraft } from "./transcript-draft.ts";
import type { LiveText } from "./wire.ts";

type Delta = Extract<ThreadEvent, { readonly type: "itemDelta" }>;
type Draft = TranscriptDraft<Transcript>;
type InFlight = Pick<LiveText, "turnId" | "itemId" | "itemKind">;

/** A thread as the page shows it: a fold of its events, so that a reload shows the same. */
export interface Transcript {
	/** Number of the newest durable event folded in. */
	readonly last: number;
	/** Something is missing between what is known and what arrived; only the extension can fill it. */
	readonly gap: boolean;
	readonly title: string;
	readonly entries: readonly Entry[];
	/** Texts in flight by item. Apart from the entries, so that a delta does not copy the thread. */
	readonly live: ReadonlyMap<string, string>;
	readonly running: { readonly turnId: string; readonly since: number } | undefined;
	readonly percentLeft: number | undefined;
}

export function emptyTranscript(title: string): Transcript {
	return { last: 0, gap: false, title, entries: [], live: new Map(), running: undefined, percentLeft: undefined };
}

export function reduceTranscript(transcript: Transcript, published: PublishedEvent): Transcript {
	return foldEvents(transcript, [published]);
}

/** Folds a batch; the thread is copied once, however long the batch is. */
export function foldEvents(transcript: Transcript, events: readonly PublishedEvent[]): Transcript {
	const draft = new TranscriptDraft(transcript);
	for (const published of events) applyEvent(draft, published);
	return draft.seal();
}

/** Takes over the text of the item being written. Deltas seen meanwhile may already be ahead of it. */
export function applyLive(transcript: Transcript, live: LiveText): Transcript {
	const draft = new TranscriptDraft(transcript);
	const known = knownText(draft, live);
	if (known === undefined) return transcript;
	setText(draft, live, known.startsWith(live.text) ? known : live.text);
	draft.set({ gap: false });
	return draft.seal();
}

/** The text of an entry as far as it is known. */
export function textOf(transcript: Transcript, entry: { readonly itemId: string; readonly text: string }): string {
	return transcript.live.get(entry.itemId) ?? entry.text;
}

function applyEvent(draft: Draft, { seq, at, event }: PublishedEvent): void {
	if (event.type === "itemDelta") applyDelta(draft, event);
	else if (seq !== undefined && seq > draft.value.last + 1) draft.set({ gap: true });
	else if (seq === draft.value.last + 1) {
		draft.set({ last: seq, gap: false });
		applyDurable(draft, event, { key: `e${seq}`, at });
	}
}

function applyDelta(draft: Draft, delta: Delta): void {
	const known = knownText(draft, delta);
	if (known === undefined) return;
	// Asked only for a repeated piece: comparing would flatten the text on every delta.
	const repeated = delta.offset < known.length && known.startsWith(delta.text, delta.offset);
	if (delta.offset > known.length) draft.set({ gap: true });
	else if (!repeated) setText(draft, delta, known.slice(0, delta.offset) + delta.text);
}

function applyDurable(draft: Draft, event: DurableEvent, { key, at }: { key: string; at: number }): void {
	switch (event.type) {
		case "turnStarted":
			if (draft.value.running) cutTurn(draft, draft.value.running.turnId);
			draft.set({ running: { turnId: event.turnId, since: at } });
			break;
		case "contextUpdated":
			draft.add({ key, turnId: event.turnId, kind: "context", fragments: event.fragments });
			break;
		case "itemStarted":
			draft.place(entryOfItem(event.item, event.turnId, "streaming"));
			break;
		case "itemCompleted":
			draft.dropLive(event.item.id);
			draft.place(entryOfItem(event.item, event.turnId, "done"));
			break;
		case "usage":
			draft.set({ percentLeft: event.percentLeft });
			break;
		case "warning":
			draft.add({ key, turnId: event.turnId, kind: "warning", code: event.code, text: event.message });
			break;
		case "titleChanged":
			draft.set({ title: event.title });
			break;
		case "archivedChanged":
			break;
		case "turnCompleted":
			cutTurn(draft, event.turnId);
			if (draft.value.running?.turnId === event.turnId) draft.set({ running: undefined });
			if (event.status === "completed") break;
			draft.add({ key, turnId: event.turnId, kind: "turnEnd", status: event.status, error: event.error });
			break;
	}
}

/** The text so far of an item that may still grow; nothing when it is whole or belongs to no running turn. */
function knownText(draft: Draft, { turnId, itemId }: InFlight): string | undefined {
	const live = draft.value.live.get(itemId);
	if (live !== undefined) return live;
	const entry = draft.find(turnId, itemId);
	if (entry) return "state" in entry && entry.state === "streaming" ? entry.text : undefined;
	return draft.value.running?.turnId === turnId ? "" : undefined;
}

function setText(draft: Draft, { turnId, itemId, itemKind }: InFlight, text: string): void {
	if (!draft.value.live.has(itemId) && !draft.find(turnId, itemId)) {
		draft.add({ key: itemId, turnId, itemId, kind: itemKind, text: "", state: "streaming" });
	}
	draft.setLive(itemId, text);
}

function cutTurn(draft: Draft, turnId: string): void {
	for (const entry of draft.entriesOf(turnId)) {
		draft.replace(entry, cutEntry(entry, draft.value.live.get(entry.key)));
		draft.dropLive(entry.key);
	}
}
