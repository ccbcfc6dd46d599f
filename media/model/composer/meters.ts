import type { Spent } from "../../../agent-host/protocol/thread/events.ts";
import { nameCacheMiss } from "../../../l10n/cache-words.ts";
import { countOf, t } from "../../../l10n/t.ts";
import type { ChatSettings } from "../../wire.ts";
import type { Transcript } from "../thread/transcript.ts";

/** A small number under the composer, with its full meaning. */
export interface Meter {
	readonly name: "cost" | "cache";
	readonly text: string;
	readonly title: string;
}

/** Cost of the thread and cache share of its last request; omitted if unknown or switched off. */
export function listMeters(
	{ spent, counted }: Pick<Transcript, "spent" | "counted">,
	{ showCost, showCacheMeter }: Pick<ChatSettings, "showCost" | "showCacheMeter">,
): readonly Meter[] {
	return [
		...(spent === undefined || !showCost ? [] : costMeter(spent)),
		...(counted === undefined || !showCacheMeter ? [] : cacheMeter(counted)),
	];
}

function costMeter({ turn, thread }: NonNullable<Transcript["spent"]>): readonly Meter[] {
	if (thread.money === 0) return [];
	const tokens = countOf(thread.tokens, "{0} token", "{0} tokens");
	const known = t("This thread: {0} for {1}. Last turn: {2}.", formatMoney(thread), tokens, formatMoney(turn));
	const title = thread.unpriced === 0 ? known : `${known} ${unpriced(thread.unpriced)}`;
	return [{ name: "cost", text: formatMoney(thread), title }];
}

/** "$0.42", or "$0.42+" if the price of some requests is unknown. */
export function formatMoney({ money, unpriced = 0 }: Pick<Spent, "money"> & Partial<Spent>): string {
	const more = unpriced === 0 ? "" : "+";
	if (money > 0 && money < 0.01) return `<$0.01${more}`;
	return `$${money.toFixed(2)}${more}`;
}

function unpriced(count: number): string {
	const one = "{0} answer without a known price is not included.";
	return countOf(count, one, "{0} answers without a known price are not included.");
}

function cacheMeter({ last, total, cacheBreak }: NonNullable<Transcript["counted"]>): readonly Meter[] {
	// A server that never reported cache hits may have no cache.
	if (total.cached === 0) return [];
	const [now, all] = [percent(last), percent(total)];
	const read = countOf(last.input, "{0} token", "{0} tokens");
	const hit = t("Cache hits: {0}% of the last request ({1}), {2}% of this thread.", now, read, all);
	const title = cacheBreak === undefined ? hit : `${hit} ${t("Cache miss caused by: {0}.", nameCacheMiss(cacheBreak))}`;
	return [{ name: "cache", text: t("cache {0}%", now), title }];
}

function percent({ cached, input }: { readonly cached: number; readonly input: number }): number {
	return input === 0 ? 0 : Math.round((100 * cached) / input);
}
