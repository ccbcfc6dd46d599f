import { countOf } from "../../l10n/t.ts";
import { CommandButton } from "./parts/command-button.tsx";
import { Icon } from "./parts/icon.tsx";
import { usePage } from "./parts/page-context.ts";

/** Above the composer: a plan that waits for the user, who can edit it, comment on it, and let it be carried out. */
export function PlanBar() {
	const page = usePage();
	const plan = page.panel.value?.plan;
	if (plan === undefined || page.thread.isRunning.value) return null;
	return (
		<div class="changes-bar" data-bar="plan">
			<div class="changes-head">
				<Icon name="checklist" />
				<span>{countOf(plan.steps, "Plan: {0} step", "Plan: {0} steps")}</span>
				{plan.comments > 0 && <span class="quiet">{countOf(plan.comments, "{0} comment", "{0} comments")}</span>}
				<span class="actions">
					<CommandButton command="openPlan" look="text-button" />
					<CommandButton command="revisePlan" look="text-button" />
					<CommandButton command="goWithPlanInNewThread" look="text-button" />
					<CommandButton command="goWithPlan" look="button" />
				</span>
			</div>
		</div>
	);
}
