import type { HistoryItem } from "../../history/history-item.ts";
import { isMutable, muteLine, readMutable } from "../../history/mute-item.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { type Said, say } from "../../protocol/say.ts";
import type { threadMute } from "../../protocol/thread/context.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";

/**
 * Mutes one item of the history, or unmutes it: a recorded rewrite, after which the next turn states everything again.
 */
export async function changeMute(thread: LiveThread, params: ParsedParamsOf<typeof threadMute>): Promise<void> {
	await thread.readHistory();
	await thread.commit(({ history }) => {
		// The step in flight was made from the history as it is.
		if (thread.running !== undefined) throw refuse(say("mute-while-turn-runs"));
		return draftMute(history[params.at], params);
	}, "synced");
}

function draftMute(
	item: HistoryItem | undefined,
	{ at, chars, muted }: ParsedParamsOf<typeof threadMute>,
): readonly Draft[] {
	if (item === undefined) throw refuse(say("mute-outdated"));
	if (!isMutable(item)) throw refuse(say("not-mutable"));
	if (readMutable(item).length !== chars) throw refuse(say("mute-outdated"));
	if ((item.muted !== undefined) === muted) return [];
	return [
		{ kind: "mute", at, ...(muted ? { line: muteLine(item) } : {}) },
		{ kind: "event", event: { type: "muteChanged", itemKind: item.kind, chars, muted } },
	];
}

function refuse(said: Said): HostError {
	return new HostError("input-refused", said);
}
