import { describePause, nameGoalState } from "../../../../l10n/goal-words.ts";
import { describeGoalUse } from "../../../model/goal-use.ts";
import type { GoalEntry } from "../../../model/thread/entry.ts";
import { showInvisible } from "../../../model/words/invisible.ts";
import { Icon } from "../../parts/icon.tsx";

const ICONS: Readonly<Record<GoalEntry["goal"]["state"], string>> = {
	active: "target",
	paused: "debug-pause",
	reached: "pass-filled",
	stopped: "circle-slash",
	limit: "warning",
};

/** A goal that was paused or has ended: why, what it used, and what the model reports. */
export function GoalReport({ entry: { goal } }: { readonly entry: GoalEntry }) {
	const reason = describePause(goal);
	return (
		<section class="goal-report">
			<div class="plan-head">
				<Icon name={ICONS[goal.state]} />
				<span class="fold-title">{nameGoalState(goal)}</span>
				<span class="quiet">{describeGoalUse(goal)}</span>
			</div>
			{reason !== "" && <p class="plain">{showInvisible(reason)}</p>}
			{goal.report !== undefined && <p class="plain goal-words">{showInvisible(goal.report)}</p>}
		</section>
	);
}
