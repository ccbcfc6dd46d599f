import { nameGoalState } from "../../l10n/goal-words.ts";
import { t } from "../../l10n/t.ts";
import { describeGoalUse } from "../model/goal-use.ts";
import { showInvisible } from "../model/words/invisible.ts";
import { Icon } from "./parts/icon.tsx";
import { usePage } from "./parts/page-context.ts";

/** Above the composer: the goal that the thread pursues, and how to pause, resume and stop it. */
export function GoalBar() {
	const page = usePage();
	const { goal } = page.thread.transcript.value;
	if (goal === undefined || (goal.state !== "active" && goal.state !== "paused")) return null;
	const isActive = goal.state === "active";
	const change = (to: "paused" | "active" | "stopped") => () => page.post({ type: "changeGoal", to });
	return (
		<div class="changes-bar" data-bar="goal" data-state={goal.state}>
			<div class="changes-head">
				<Icon name="target" />
				<span>{nameGoalState(goal)}</span>
				<span class="quiet">{describeGoalUse(goal)}</span>
			</div>
			<div class="goal-line">
				<span class="goal-text quiet plain" title={showInvisible(goal.text)}>
					{showInvisible(goal.text)}
				</span>
				<span class="actions">
					<button type="button" class="text-button" onClick={change(isActive ? "paused" : "active")}>
						{isActive ? t("Pause") : t("Resume")}
					</button>
					<button type="button" class="text-button" onClick={change("stopped")}>
						{t("Stop Goal")}
					</button>
				</span>
			</div>
		</div>
	);
}
