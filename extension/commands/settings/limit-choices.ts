import type { BudgetSettings, Limits } from "../../../agent-host/protocol/settings/settings.ts";
import type { PublishedEvent, ReachedLimit } from "../../../agent-host/protocol/thread/events.ts";
import { amountOf } from "../../../l10n/limit-words.ts";
import { t } from "../../../l10n/t.ts";

/** A limit of the thread itself, not of the one that started it. */
export type RaisableLimit = ReachedLimit & { readonly scope: keyof BudgetSettings };

export function canRaise(reached: ReachedLimit): reached is RaisableLimit {
	return reached.scope !== "tree";
}

/** The limit that ended the newest turn; undefined if something else ended it. */
export function findLimit(events: readonly PublishedEvent[]): ReachedLimit | undefined {
	const end = events.map(({ event }) => event).findLast((event) => event.type === "turnCompleted");
	return end?.error?.limit;
}

/** The thread's limits with one changed; undefined removes it. */
export function withLimit(
	inForce: BudgetSettings,
	{ scope, unit }: RaisableLimit,
	limit: number | undefined,
): Partial<BudgetSettings> {
	const { [unit]: _, ...others }: Limits = inForce[scope];
	return { [scope]: limit === undefined ? others : { ...others, [unit]: limit } };
}

/** "1,000": any other comma may be meant as a decimal point. */
const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** Parses a typed limit; returns the reason if it is not valid. */
export function readLimit(text: string, { unit, spent }: ReachedLimit): number | string {
	const typed = text.trim();
	const limit = Number(GROUPED.test(typed) ? typed.replaceAll(",", "") : typed);
	if (typed === "" || !Number.isFinite(limit)) return t("Enter a number.");
	if (limit <= spent) return t("Already used: {0}. Enter a higher limit.", amountOf(unit, spent));
	const isWhole = unit === "money" || unit === "minutes" || Number.isInteger(limit);
	return isWhole ? limit : t("Enter a whole number.");
}
