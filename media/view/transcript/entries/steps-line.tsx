import { describeSteps } from "../../../model/thread/describe-steps.ts";
import type { StepsRow } from "../../../model/thread/rows.ts";
import { areStepsOpen } from "../../../model/thread/steps.ts";
import { showExactly } from "../../../model/words/invisible.ts";
import { describeDuration } from "../../../model/words/text.ts";
import { Counts } from "../../parts/counts.tsx";
import { Icon } from "../../parts/icon.tsx";
import { usePage } from "../../parts/page-context.ts";

/** What folded steps did and how long they took; the steps are rows below it while it is open. */
export function StepsLine({ row }: { readonly row: StepsRow }) {
	const page = usePage();
	const isOpen = areStepsOpen(row, page.openFolds.value);
	const { words, lines } = describeSteps(row.steps.map(({ entry }) => entry));
	return (
		<button type="button" class="fold-line" aria-expanded={isOpen} onClick={() => page.toggleSteps(row)}>
			<span class="fold-summary">
				<Icon name={lines ? "edit" : "tools"} />
				<span class={lines ? "fold-title strong" : "fold-title"} title={showExactly(words)}>
					{showExactly(words)}
				</span>
				{lines && (
					<span class="fold-note counts">
						<Counts {...lines} />
					</span>
				)}
				{row.ms >= MIN_SHOWN_MS && <span class="fold-note counts">{describeDuration(row.ms)}</span>}
			</span>
			<Icon name={isOpen ? "chevron-down" : "chevron-right"} />
		</button>
	);
}

/** Less than this is not worth a number. */
const MIN_SHOWN_MS = 1_000;
