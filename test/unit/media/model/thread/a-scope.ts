import type { ContextEntry, Entry } from "../../../../../media/model/thread/entry.ts";

/** How much of the context was sent, by itself or at the end of its turn. */
export function scopesIn(entry: Entry): readonly ContextEntry["scope"][] {
	if (entry.kind === "context") return [entry.scope];
	return "facts" in entry ? entry.facts.context.map(({ scope }) => scope) : [];
}
