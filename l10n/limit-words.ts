import { countOf, type Message } from "./t.ts";

/** Doubles the limit until it exceeds what is spent. */
export function nextLimit({ limit, spent }: { readonly limit: number; readonly spent: number }): number {
	// Limits are positive, but an imported thread may contain anything.
	let next = 2 * Math.max(limit, Number.EPSILON);
	while (next <= spent) next *= 2;
	return next;
}

/** "12,000 tokens", "1 request", "0.5 US dollars". */
export function amountOf(unit: keyof typeof UNITS, amount: number): string {
	const [one, more] = UNITS[unit];
	return countOf(amount, one, more);
}

const UNITS = {
	tokens: ["{0} token", "{0} tokens"],
	money: ["{0} US dollar", "{0} US dollars"],
	requests: ["{0} request", "{0} requests"],
	minutes: ["{0} minute", "{0} minutes"],
} as const satisfies Record<string, readonly [one: Message, more: Message]>;
