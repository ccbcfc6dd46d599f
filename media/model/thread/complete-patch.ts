import type { Transcript } from "./transcript.ts";

/** The transcript with the whole arguments of the call of which that event was sent cut. */
export function completePatch(
	transcript: Transcript,
	{ seq, text }: { readonly seq: number; readonly text: string },
): Transcript {
	const index = transcript.entries.findLastIndex((entry) => entry.kind === "toolCall" && entry.cut?.seq === seq);
	const entry = transcript.entries[index];
	if (entry?.kind !== "toolCall") return transcript;
	return { ...transcript, entries: transcript.entries.with(index, { ...entry, arguments: text, cut: undefined }) };
}
