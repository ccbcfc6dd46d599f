import type { PublishedEvent, ReachedLimit } from "../../agent-host/protocol/events.ts";
import type { BudgetSettings, Limits } from "../../agent-host/protocol/settings.ts";

/** The limit at which the newest turn ended; undefined when it ended otherwise. */
export function limitIn(events: readonly PublishedEvent[]): ReachedLimit | undefined {
	const end = events.map(({ event }) => event).findLast((event) => event.type === "turnCompleted");
	return end?.error?.limit;
}

/** Twice the limit, and so on until something is left of it. */
export function nextLimit({ limit, spent }: ReachedLimit): number {
	let next = 2 * limit;
	while (next <= spent) next *= 2;
	return next;
}

/** The limits of a thread with one of them changed; undefined takes it away. */
export function withLimit(
	inForce: BudgetSettings,
	{ scope, unit }: ReachedLimit,
	limit: number | undefined,
): Partial<BudgetSettings> {
	const { [unit]: _, ...others }: Limits = inForce[scope];
	return { [scope]: limit === undefined ? others : { ...others, [unit]: limit } };
}

const NOUNS: Readonly<Record<ReachedLimit["unit"], string>> = {
	tokens: "token",
	money: "US dollar",
	requests: "request",
	minutes: "minute",
};

/** "12,000 tokens", "1 request", "0.5 US dollars". */
export function amountOf(unit: ReachedLimit["unit"], amount: number): string {
	const number = amount.toLocaleString("en-US", { maximumFractionDigits: 4 });
	return `${number} ${NOUNS[unit]}${number === "1" ? "" : "s"}`;
}

/** A limit as it was typed, or why it is none. */
export function readLimit(text: string, { unit, spent }: ReachedLimit): number | string {
	const limit = Number(text.trim().replaceAll(",", ""));
	if (text.trim() === "" || !Number.isFinite(limit)) return "Enter a number.";
	if (limit <= spent) return `Used already: ${amountOf(unit, spent)}. Enter more than that.`;
	const isWhole = unit === "money" || unit === "minutes" || Number.isInteger(limit);
	return isWhole ? limit : "Enter a whole number.";
}
