import type { HistoryItem } from "../../history/history-item.ts";
import { isMutable, readMutable } from "../../history/mute-item.ts";
import type { InspectedItem } from "../../protocol/thread/context.ts";

/**
 * For each item of a request, what the user needs to mute it. Requests have repaired calls and other objects than the
 * history, so an output is found by its call, and an answer by its number.
 */
export function listMutable(
	history: readonly HistoryItem[],
	input: readonly HistoryItem[],
): readonly Pick<InspectedItem, "mutable">[] {
	const outputs = new Map<string, number>();
	const answers: number[] = [];
	for (const [at, item] of history.entries()) {
		if (item.kind === "toolOutput" && !outputs.has(item.callId)) outputs.set(item.callId, at);
		if (item.kind === "agentMessage") answers.push(at);
	}
	let answer = -1;
	return input.map((sent) => {
		if (sent.kind === "agentMessage") answer += 1;
		const at = sent.kind === "toolOutput" ? outputs.get(sent.callId) : answers[answer];
		const item = at === undefined ? undefined : history[at];
		if (at === undefined || !isMutable(sent) || !isMutable(item)) return {};
		return { mutable: { at, chars: readMutable(item).length, muted: item.muted !== undefined } };
	});
}
