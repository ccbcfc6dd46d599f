import { countOf, t } from "../../../../l10n/t.ts";
import type { StepsRow } from "../../../model/thread/rows.ts";
import { areStepsOpen } from "../../../model/thread/steps.ts";
import { describeDuration } from "../../../model/words/text.ts";
import { Icon } from "../../parts/icon.tsx";
import { usePage } from "../../parts/page-context.ts";

/** Number and duration of folded steps; the steps are rows below it while it is open. */
export function StepsLine({ row }: { readonly row: StepsRow }) {
	const page = usePage();
	const isOpen = areStepsOpen(row, page.openFolds.value);
	return (
		<button type="button" class="fold-line" aria-expanded={isOpen} onClick={() => page.toggleSteps(row)}>
			<span class="fold-summary">
				<Icon name="tools" />
				{describeSteps(row)}
			</span>
			<Icon name={isOpen ? "chevron-down" : "chevron-right"} />
		</button>
	);
}

/** Less than a tenth of a second is not worth a number. */
const MIN_SHOWN_MS = 50;

function describeSteps({ ms, steps }: StepsRow): string {
	const count = countOf(steps.length, "{0} step", "{0} steps");
	return ms < MIN_SHOWN_MS ? count : `${t("Worked {0}", describeDuration(ms))} · ${count}`;
}
