import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { HistoryItem } from "../history/history-item.ts";

type Reader = Pick<TurnEnvelope["identity"], "provider" | "baseUrl" | "wire" | "model">;

/**
 * Identifies who can read a sealed item: this model at this server, over this API. Persisted; that of the Responses API has
 * no name in it, as in threads of older releases.
 */
export function nameSource(baseUrl: string, model: string, wire: Reader["wire"]): string {
	const source = `${new URL(baseUrl).origin} ${model}`;
	return wire === "responses" ? source : `${source} ${wire}`;
}

/** Sealed summaries that this model cannot read and that are therefore not sent. */
export function listUnreadable(
	{ provider, baseUrl, wire, model }: Reader,
	items: readonly HistoryItem[],
): readonly HistoryItem[] {
	const isServer = provider !== "editor" && provider !== "demo" && baseUrl !== undefined && wire === "responses";
	const source = isServer ? nameSource(baseUrl, model, wire) : undefined;
	return items.filter((item) => item.kind === "sealedSummary" && item.source !== source);
}
