import type { Spent } from "../../agent-host/protocol/events.ts";
import type { Transcript } from "../transcript.ts";

/** A small number under the composer, and what it means in full. */
export interface Meter {
	readonly name: "cost" | "cache";
	readonly text: string;
	readonly title: string;
}

/** What the thread has cost and how much of its last request the provider had kept; nothing where nothing is known. */
export function metersOf({ spent, counted }: Pick<Transcript, "spent" | "counted">): readonly Meter[] {
	return [...(spent === undefined ? [] : costMeter(spent)), ...(counted === undefined ? [] : cacheMeter(counted))];
}

function costMeter({ turn, thread }: NonNullable<Transcript["spent"]>): readonly Meter[] {
	if (thread.money === 0 && thread.unpriced === 0) return [];
	const text = thread.money === 0 ? "price unknown" : moneyIn(thread);
	const tokens = thread.tokens.toLocaleString("en-US");
	const unknown = thread.unpriced === 0 ? "" : ` ${answers(thread.unpriced)} of a model whose price is not known.`;
	const title = `This thread: ${moneyIn(thread)} for ${tokens} tokens. Last turn: ${moneyIn(turn)}.${unknown}`;
	return [{ name: "cost", text, title }];
}

/** "$0.42", "$0.42+" when there is more that nobody knows the price of. */
function moneyIn({ money, unpriced }: Spent): string {
	const more = unpriced === 0 ? "" : "+";
	if (money > 0 && money < 0.01) return `<$0.01${more}`;
	return `$${money.toFixed(2)}${more}`;
}

function answers(count: number): string {
	return count === 1 ? "1 answer is" : `${count} answers are`;
}

function cacheMeter({ last, total, cacheBreak }: NonNullable<Transcript["counted"]>): readonly Meter[] {
	// A server that has never said a word about its cache may have none.
	if (total.cached === 0) return [];
	const [now, all] = [percent(last), percent(total)];
	const broken = cacheBreak === undefined ? "" : ` First change: ${cacheBreak.part}.`;
	const read = last.input.toLocaleString("en-US");
	const title = `From the provider's cache: ${now} % of the last request's ${read} tokens, ${all} % of the thread's.${broken}`;
	return [{ name: "cache", text: `cache ${now}%`, title }];
}

function percent({ cached, input }: { readonly cached: number; readonly input: number }): number {
	return input === 0 ? 0 : Math.round((100 * cached) / input);
}
