import type { ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { LiveText } from "../../wire.ts";
import { cutEntry, type Entry, UNTIMED } from "./entry.ts";
import type { Transcript } from "./transcript.ts";
import { TranscriptBuilder } from "./transcript-builder.ts";

type Delta = Extract<ThreadEvent, { readonly type: "itemDelta" }>;
type Builder = TranscriptBuilder<Transcript>;
type InFlight = Pick<LiveText, "turnId" | "itemId" | "itemKind">;

/** Sets the text of an item that is being written. Deltas that already arrived may be ahead of it. */
export function applyLive(transcript: Transcript, live: LiveText): Transcript {
	const builder = new TranscriptBuilder(transcript);
	const known = knownText(builder, live);
	if (known === undefined) return transcript;
	setText(builder, live, known.startsWith(live.text) ? known : live.text);
	builder.set({ gap: false });
	return builder.seal();
}

/** Appends a delta. A repeated delta changes nothing; one that starts too far ahead marks a gap. */
export function applyDelta(builder: Builder, delta: Delta): void {
	const known = knownText(builder, delta);
	if (known === undefined) return;
	// Evaluated for repeated deltas only: comparing would flatten the string on every delta.
	const repeated = delta.offset < known.length && known.startsWith(delta.text, delta.offset);
	if (delta.offset > known.length) builder.set({ gap: true });
	else if (!repeated) setText(builder, delta, known.slice(0, delta.offset) + delta.text);
}

/** Marks unfinished entries of a turn as cut off. */
export function cutTexts(builder: Builder, turnId: string): void {
	for (const entry of builder.entriesOf(turnId)) {
		builder.replace(entry, cutEntry(entry, builder.value.live.get(entry.key)));
		builder.dropLive(entry.key);
	}
}

/** Text so far of an item that may still grow; undefined if it is complete or belongs to no running turn. */
function knownText(builder: Builder, { turnId, itemId, itemKind }: InFlight): string | undefined {
	const live = builder.value.live.get(itemId);
	if (live !== undefined) return live;
	const entry = builder.find(turnId, itemId);
	if (entry) return growingText(entry);
	return beginsWithText(itemKind) && builder.value.running?.turnId === turnId ? "" : undefined;
}

/** Messages may start with their first delta; a tool call is known before it runs. */
function beginsWithText(kind: InFlight["itemKind"]): kind is "agentMessage" | "reasoning" | "draft" {
	return kind === "agentMessage" || kind === "reasoning" || kind === "draft";
}

function growingText(entry: Entry): string | undefined {
	if (entry.kind === "toolCall") return entry.status === "running" ? entry.output : undefined;
	if (entry.kind === "draft") return entry.text;
	if (entry.kind !== "agentMessage" && entry.kind !== "reasoning") return undefined;
	return entry.state === "streaming" ? entry.text : undefined;
}

function setText(builder: Builder, { turnId, itemId, itemKind }: InFlight, text: string): void {
	if (beginsWithText(itemKind) && !builder.value.live.has(itemId) && !builder.find(turnId, itemId)) {
		const base = { key: itemId, turnId, itemId, text: "" };
		builder.add(
			itemKind === "draft" ? { ...base, kind: itemKind } : { ...base, ...UNTIMED, kind: itemKind, state: "streaming" },
		);
	}
	builder.setLive(itemId, text);
}
