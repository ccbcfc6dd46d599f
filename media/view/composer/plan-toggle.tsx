import { t } from "../../../l10n/t.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

/** Switches plan mode, in which the next turn makes no changes; its word is shown while it is on. */
export function PlanToggle() {
	const page = usePage();
	if (page.panel.value?.next === undefined) return null;
	// Until the host has answered for this thread, it is not known.
	const plans = page.next.value?.plans;
	return (
		<button
			type="button"
			class="icon-button labelled"
			data-chip="plan"
			title={describe(plans)}
			aria-label={t("Plan mode")}
			{...(plans === undefined ? {} : { "aria-pressed": plans })}
			onClick={() => page.run("togglePlan")}
		>
			<Icon name="checklist" />
			{plans && t("Plan")}
		</button>
	);
}

function describe(plans: boolean | undefined): string {
	if (plans === undefined) return t("Plan mode");
	return plans ? t("Plan mode is on. The next turn makes no changes.") : t("Plan mode is off");
}
