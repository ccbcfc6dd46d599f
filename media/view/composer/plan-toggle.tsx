import { t } from "../../../l10n/t.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

/** Switches plan mode, in which the next turn makes no changes; its word is shown while it is on. */
export function PlanToggle() {
	const page = usePage();
	const next = page.panel.value?.next;
	if (next === undefined) return null;
	const title = next.plans ? t("Plan mode is on. The next turn makes no changes.") : t("Plan mode is off");
	return (
		<button
			type="button"
			class="icon-button labelled"
			data-chip="plan"
			title={title}
			aria-label={t("Plan mode")}
			aria-pressed={next.plans}
			onClick={() => page.run("togglePlan")}
		>
			<Icon name="checklist" />
			{next.plans && t("Plan")}
		</button>
	);
}
