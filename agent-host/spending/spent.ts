import type { Price } from "../protocol/settings/model-values.ts";
import { Spent, type TokenCount } from "../protocol/thread/events.ts";

export const NOTHING_SPENT: Spent = { tokens: 0, money: 0, unpriced: 0, requests: 0, minutes: 0 };

const MILLION = 1_000_000;
const MINUTE_PARTS = 10_000;

/** Cost of an answer in US dollars: cache reads and writes at their own prices, reasoning as output. */
export function computeCost({ input, cached, cacheWrite = 0, output }: TokenCount, price: Price): number {
	const cache = cached * (price.cached ?? price.input) + cacheWrite * (price.cacheWrite ?? price.input);
	return ((input - cached - cacheWrite) * price.input + cache + output * price.output) / MILLION;
}

/** What an answer adds. Its request was counted when it was made. */
export function spentOn(usage: TokenCount, price: Price | undefined): Spent {
	const money = price === undefined ? { unpriced: 1 } : { money: computeCost(usage, price) };
	return { ...NOTHING_SPENT, tokens: usage.total, ...money };
}

export function addSpent(a: Spent, b: Spent): Spent {
	return {
		tokens: a.tokens + b.tokens,
		money: a.money + b.money,
		unpriced: a.unpriced + b.unpriced,
		requests: a.requests + b.requests,
		minutes: roundMinutes(a.minutes + b.minutes),
	};
}

/** The later of two sums, whichever was recorded first: nothing that was spent comes back. */
export function growSpent(before: Spent | undefined, now: Spent): Spent {
	if (before === undefined) return now;
	return {
		tokens: Math.max(before.tokens, now.tokens),
		money: Math.max(before.money, now.money),
		unpriced: Math.max(before.unpriced, now.unpriced),
		requests: Math.max(before.requests, now.requests),
		minutes: Math.max(before.minutes, now.minutes),
	};
}

/** To six milliseconds: further digits are noise from summing, and would be stored in each record. */
export function roundMinutes(minutes: number): number {
	return Math.round(minutes * MINUTE_PARTS) / MINUTE_PARTS;
}

/** A line of a day's file. The leading line break separates it from an unfinished line of a dead host. */
export function spentLine(spent: Spent): string {
	return `\n${JSON.stringify(spent)}\n`;
}

/** The sum of complete lines; unknown lines are ignored. */
export function sumLines(text: string): Spent {
	return text.split("\n").reduce((sum, line) => {
		const found = line === "" ? undefined : readLine(line);
		return found === undefined ? sum : addSpent(sum, found);
	}, NOTHING_SPENT);
}

function readLine(line: string): Spent | undefined {
	try {
		return Spent.safeParse(JSON.parse(line)).data;
	} catch {
		return undefined;
	}
}
