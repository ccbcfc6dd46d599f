import { countOf, type Message, t } from "./t.ts";

/** Why a turn ended at a limit, and what to do. */
export function describeReached({ scope, unit, limit, spent }: Reached): string {
	return t(REACHED[scope], amountOf(unit, spent), amountOf(unit, limit));
}

const REACHED = {
	turn: "This turn has used {0} of the limit of {1}. Raise the limit to continue. Nothing was lost.",
	thread: "This thread has used {0} of the limit of {1}. Raise the limit to continue. Nothing was lost.",
	day: "Today {0} of the limit of {1} have been used. Raise the limit to continue. Nothing was lost.",
	agent: "This sub-agent has used {0} of the limit of {1}. Raise the limit to continue. Nothing was lost.",
	tree: "The turn that this sub-agent works for has used {0} of the limit of {1}, with all of its sub-agents. Raise the limit in the thread that started it to continue. Nothing was lost.",
} as const satisfies Record<string, Message>;

interface Reached {
	readonly scope: keyof typeof REACHED;
	readonly unit: keyof typeof UNITS;
	readonly limit: number;
	readonly spent: number;
}

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
