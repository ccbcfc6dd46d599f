import type { ModelEvent } from "../../port.ts";

/** The same events in fewer: pieces of one text become one piece, and signs of life only count where nothing else does. */
export function joinEvents(events: readonly ModelEvent[]): readonly ModelEvent[] {
	const joined: ModelEvent[] = [];
	for (const event of events) addEvent(joined, event);
	return joined;
}

/** Adds one event to joined ones. */
export function addEvent(joined: ModelEvent[], event: ModelEvent): void {
	const last = joined.at(-1);
	const both = last === undefined ? undefined : join(last, event);
	if (both === undefined) joined.push(event);
	else joined[joined.length - 1] = both;
}

/** One event that says the same as both; undefined if there is none. */
function join(first: ModelEvent, next: ModelEvent): ModelEvent | undefined {
	if (next.type === "alive") return first;
	switch (first.type) {
		case "alive":
			return next;
		case "working":
			return next.type === "working" ? first : undefined;
		case "delta": {
			const isSame = next.type === "delta" && next.key === first.key && next.kind === first.kind;
			// Written out, because each delta comes through here.
			const { type, key, kind } = first;
			return isSame ? { type, key, kind, text: first.text + next.text } : undefined;
		}
		case "draft": {
			const isSame = next.type === "draft" && next.key === first.key;
			return isSame ? { ...first, text: first.text + next.text } : undefined;
		}
		case "counted":
			return next.type === "counted" ? next : undefined;
		case "item":
		case "completed":
			return undefined;
	}
}
