import type { Price } from "../protocol/settings/model-values.ts";
import type { BudgetSettings, Limits } from "../protocol/settings/settings.ts";
import type { ReachedLimit, Spent } from "../protocol/thread/events.ts";

type Scope = keyof BudgetSettings;
type Unit = ReachedLimit["unit"];

const SCOPES: readonly Scope[] = ["agent", "turn", "thread", "day"];
const UNITS: readonly Unit[] = ["tokens", "money", "requests", "minutes"];

/** Why the next request may not be made. */
export type Stop = { readonly kind: "reached"; readonly limit: ReachedLimit } | { readonly kind: "unpriced" };

/**
 * Whether another request may be made: the only place where limits are checked. A limit is reached when the amount
 * spent equals it. With a limit on money, a model without a known price is not asked, because its cost could not be
 * limited.
 */
export function findStop(
	limits: BudgetSettings,
	spent: Readonly<Record<Scope, Spent>>,
	price: Price | undefined,
): Stop | undefined {
	for (const scope of SCOPES) {
		const unit = UNITS.find((one) => isReached(limits[scope], spent[scope], one));
		if (unit !== undefined) {
			const limit = { scope, unit, limit: limits[scope][unit] ?? 0, spent: spent[scope][unit] };
			return { kind: "reached", limit };
		}
	}
	const hasMoneyLimit = SCOPES.some((scope) => limits[scope].money !== undefined);
	return hasMoneyLimit && price === undefined ? { kind: "unpriced" } : undefined;
}

const NAMES: Readonly<Record<ReachedLimit["scope"], string>> = {
	turn: "This turn",
	thread: "This thread",
	day: "Today's usage",
	agent: "This sub-agent",
	tree: "The turn that this sub-agent works for, with all of its sub-agents,",
};

/** The message when a turn ends at a limit. */
export function describeReached({ scope, unit, limit, spent }: ReachedLimit): string {
	const [used, most] = [formatAmount(unit, spent), formatAmount(unit, limit)];
	const where = scope === "tree" ? " in the thread that started it" : "";
	return `${NAMES[scope]} has used ${used} of the limit of ${most}. Raise the limit${where} to continue. Nothing was lost.`;
}

/** "$0.42", "12,000 tokens", "1 request", "2.5 minutes". */
export function formatAmount(unit: Unit, amount: number): string {
	switch (unit) {
		case "money":
			return `$${amount.toFixed(amount < 1 ? 4 : 2).replace(/(\.\d\d)0+$/, "$1")}`;
		case "tokens":
		case "requests":
			return count(amount, unit.slice(0, -1));
		case "minutes":
			return count(Math.round(amount * 10) / 10, "minute");
	}
}

function count(amount: number, noun: string): string {
	return `${amount.toLocaleString("en-US")} ${noun}${amount === 1 ? "" : "s"}`;
}

function isReached(limits: Limits, spent: Spent, unit: Unit): boolean {
	const limit = limits[unit];
	return limit !== undefined && spent[unit] >= limit;
}
