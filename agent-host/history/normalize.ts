import type { HistoryItem } from "./item.ts";

const MISSING_OUTPUT = "No result: the turn ended before this call finished.";

/**
 * History as a provider accepts it: every call has exactly one output, and no output stands alone.
 * Deterministic, so an unchanged history is always projected to the same bytes.
 */
export function normalizeHistory(items: readonly HistoryItem[]): readonly HistoryItem[] {
	const answered = new Set(items.flatMap((item) => (item.kind === "toolOutput" ? [item.callId] : [])));
	const called = new Set<string>();
	const closed = new Set<string>();
	function project(item: HistoryItem): readonly HistoryItem[] {
		switch (item.kind) {
			case "toolCall":
				if (called.has(item.callId)) return [];
				called.add(item.callId);
				if (answered.has(item.callId)) return [item];
				return [item, { kind: "toolOutput", callId: item.callId, output: MISSING_OUTPUT }];
			case "toolOutput":
				if (!called.has(item.callId) || closed.has(item.callId)) return [];
				closed.add(item.callId);
				return [item];
			case "fragment":
			case "userMessage":
			case "agentMessage":
			case "reasoning":
				return [item];
		}
	}
	return items.flatMap(project);
}
