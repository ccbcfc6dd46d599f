import type { ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { LiveText } from "../../wire.ts";
import { cutEntry, type Entry, UNTIMED } from "./entry.ts";
import type { Transcript } from "./transcript.ts";
import { TranscriptDraft } from "./transcript-builder.ts";

type Delta = Extract<ThreadEvent, { readonly type: "itemDelta" }>;
type Draft = TranscriptDraft<Transcript>;
type InFlight = Pick<LiveText, "turnId" | "itemId" | "itemKind">;

/** Takes over the text of the item being written. Deltas seen meanwhile may already be ahead of it. */
export function applyLive(transcript: Transcript, live: LiveText): Transcript {
	const draft = new TranscriptDraft(transcript);
	const known = knownText(draft, live);
	if (known === undefined) return transcript;
	setText(draft, live, known.startsWith(live.text) ? known : live.text);
	draft.set({ gap: false });
	return draft.seal();
}

/** Adds a piece of a text. One that was seen before changes nothing; one that comes too early is a hole. */
export function applyDelta(draft: Draft, delta: Delta): void {
	const known = knownText(draft, delta);
	if (known === undefined) return;
	// Asked only for a repeated piece: comparing would flatten the text on every delta.
	const repeated = delta.offset < known.length && known.startsWith(delta.text, delta.offset);
	if (delta.offset > known.length) draft.set({ gap: true });
	else if (!repeated) setText(draft, delta, known.slice(0, delta.offset) + delta.text);
}

/** Leaves what a turn did not finish as it is, for good. */
export function cutTexts(draft: Draft, turnId: string): void {
	for (const entry of draft.entriesOf(turnId)) {
		draft.replace(entry, cutEntry(entry, draft.value.live.get(entry.key)));
		draft.dropLive(entry.key);
	}
}

/** The text so far of an item that may still grow; nothing when it is whole or belongs to no running turn. */
function knownText(draft: Draft, { turnId, itemId, itemKind }: InFlight): string | undefined {
	const live = draft.value.live.get(itemId);
	if (live !== undefined) return live;
	const entry = draft.find(turnId, itemId);
	if (entry) return growingText(entry);
	return beginsWithText(itemKind) && draft.value.running?.turnId === turnId ? "" : undefined;
}

/** A text may begin with its first piece; a call is known before it runs. */
function beginsWithText(kind: InFlight["itemKind"]): kind is "agentMessage" | "reasoning" | "draft" {
	return kind === "agentMessage" || kind === "reasoning" || kind === "draft";
}

function growingText(entry: Entry): string | undefined {
	if (entry.kind === "toolCall") return entry.status === "running" ? entry.output : undefined;
	if (entry.kind === "draft") return entry.text;
	if (entry.kind !== "agentMessage" && entry.kind !== "reasoning") return undefined;
	return entry.state === "streaming" ? entry.text : undefined;
}

function setText(draft: Draft, { turnId, itemId, itemKind }: InFlight, text: string): void {
	if (beginsWithText(itemKind) && !draft.value.live.has(itemId) && !draft.find(turnId, itemId)) {
		const base = { key: itemId, turnId, itemId, text: "" };
		draft.add(
			itemKind === "draft" ? { ...base, kind: itemKind } : { ...base, ...UNTIMED, kind: itemKind, state: "streaming" },
		);
	}
	draft.setLive(itemId, text);
}
