import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { HistoryItem } from "../history/history-item.ts";

type Reader = Pick<TurnEnvelope["identity"], "provider" | "baseUrl" | "wire" | "model">;

/** Who can read what a model of a server has sealed: that model at that server. */
export function sourceOf(baseUrl: string, model: string): string {
	return `${new URL(baseUrl).origin} ${model}`;
}

/** Summaries that a server sealed and this model cannot read: it is sent nothing of them. */
export function unreadableFor(
	{ provider, baseUrl, wire, model }: Reader,
	items: readonly HistoryItem[],
): readonly HistoryItem[] {
	const isServer = provider !== "editor" && provider !== "demo" && baseUrl !== undefined && wire !== "chat";
	const source = isServer ? sourceOf(baseUrl, model) : undefined;
	return items.filter((item) => item.kind === "sealedSummary" && item.source !== source);
}
