import type { Fragment } from "../context/fragment.ts";
import type { HistoryItem } from "./item.ts";

/** A fragment as the model will always see it from now on. */
export function asHistoryItem({ kind, role, origin, text }: Fragment): Extract<HistoryItem, { kind: "fragment" }> {
	return { kind: "fragment", fragment: kind, role, origin, text };
}
