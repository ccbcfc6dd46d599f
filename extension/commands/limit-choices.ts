import type { PublishedEvent, ReachedLimit } from "../../agent-host/protocol/events.ts";
import type { BudgetSettings, Limits } from "../../agent-host/protocol/settings.ts";
import { countOf, type Message, t } from "../../l10n/t.ts";

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

const UNITS: Readonly<Record<ReachedLimit["unit"], readonly [one: Message, more: Message]>> = {
	tokens: ["{0} token", "{0} tokens"],
	money: ["{0} US dollar", "{0} US dollars"],
	requests: ["{0} request", "{0} requests"],
	minutes: ["{0} minute", "{0} minutes"],
};

/** "12,000 tokens", "1 request", "0.5 US dollars". */
export function amountOf(unit: ReachedLimit["unit"], amount: number): string {
	return countOf(amount, ...UNITS[unit]);
}

/** A limit as it was typed, or why it is none. */
export function readLimit(text: string, { unit, spent }: ReachedLimit): number | string {
	const limit = Number(text.trim().replaceAll(",", ""));
	if (text.trim() === "" || !Number.isFinite(limit)) return t("Enter a number.");
	if (limit <= spent) return t("Used already: {0}. Enter more than that.", amountOf(unit, spent));
	const isWhole = unit === "money" || unit === "minutes" || Number.isInteger(limit);
	return isWhole ? limit : t("Enter a whole number.");
}
