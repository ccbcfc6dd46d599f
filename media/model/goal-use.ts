import type { Goal } from "../../agent-host/protocol/thread/goal.ts";
import { countOf, t } from "../../l10n/t.ts";
import { formatMoney } from "./composer/meters.ts";

/** What a goal has used so far, in the units that mean something. */
export function describeGoalUse({ spent, budget }: Goal): string {
	const { turns, tokens, money, minutes } = spent;
	return [
		t("{0} of {1} turns", turns, budget.turns),
		...(tokens > 0 ? [countOf(tokens, "{0} token", "{0} tokens")] : []),
		...(money > 0 ? [formatMoney({ money })] : []),
		...(minutes >= 1 ? [countOf(Math.round(minutes), "{0} minute", "{0} minutes")] : []),
	].join(" · ");
}
