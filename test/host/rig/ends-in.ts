import type { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import { type CommandEnd, isCall } from "../../../agent-host/protocol/thread/item.ts";

/** How each command of a turn ended, and what the model reads of it. */
export function endsIn(published: readonly PublishedEvent[]): readonly (CommandEnd & { readonly output: string })[] {
	return published.flatMap(({ event }) =>
		event.type === "itemCompleted" && isCall(event.item)
			? [{ ...event.item.command, output: event.item.output ?? "" }]
			: [],
	);
}
