import type { Item } from "../../agent-host/protocol/thread/item.ts";

type CompactionItem = Extract<Item, { readonly kind: "contextCompaction" }>;

/** The card of a compaction that went well. */
export function aReport(change: Partial<Omit<CompactionItem, "id">> = {}): Omit<CompactionItem, "id"> {
	return {
		kind: "contextCompaction",
		compactionId: "k1" as CompactionItem["compactionId"],
		reason: "manual",
		phase: "standalone",
		strategy: "structured",
		turns: 9,
		before: 61_300,
		after: 3_950,
		verbatim: [{ text: "make it deterministic", tokens: 4 }],
		dropped: [{ kind: "toolOutput", count: 14, tokens: 50_000 }],
		summary: "The clock was injected.\nRESUME_AT: run the tests",
		repaired: 1,
		...change,
	};
}
