import { countOf, t } from "../../../../l10n/t.ts";
import { formatMoney } from "../../../model/composer/meters.ts";
import type { ContextEntry, TurnFacts } from "../../../model/thread/entry.ts";
import { describeDuration } from "../../../model/words/text.ts";
import { Fold } from "../../parts/fold.tsx";
import { Icon } from "../../parts/icon.tsx";
import { usePage } from "../../parts/page-context.ts";
import { ChangedFiles } from "./changes.tsx";
import { ContextDetails, nameContexts } from "./notice.tsx";

interface Props {
	/** Identifies the fold. */
	readonly id: string;
	readonly facts: TurnFacts;
}

/** The last line of a turn: time, tokens, cost and files; what the model was told besides the prompt is behind it. */
export function TurnSummary({ id, facts }: Props) {
	const { context, changes } = facts;
	const said = useWords(facts).join(" · ");
	return (
		<div class="turn-summary quiet">
			{context.length === 0 ? (
				said !== "" && <span class="turn-facts">{said}</span>
			) : (
				<Fold
					id={id}
					summary={
						<>
							<Icon name="eye" />
							<span class="fold-title" title={nameContexts(context)}>
								{[said, describeContext(context)].filter((part) => part !== "").join(" · ")}
							</span>
						</>
					}
					draw={() => context.map((entry) => <ContextDetails key={entry.key} entry={entry} />)}
				/>
			)}
			{changes && <ChangedFiles entry={changes} />}
		</div>
	);
}

/** A shorter time is not worth a number. */
const MIN_SHOWN_MS = 50;

function useWords({ ms = 0, spent, retries }: TurnFacts): readonly string[] {
	const showsCost = usePage().panel.value?.chat.showCost ?? true;
	return [
		...(ms >= MIN_SHOWN_MS ? [describeDuration(ms)] : []),
		...(spent === undefined || spent.tokens === 0 ? [] : [countOf(spent.tokens, "{0} token", "{0} tokens")]),
		...(spent === undefined || spent.money === 0 || !showsCost ? [] : [formatMoney(spent)]),
		...(retries === 0 ? [] : [countOf(retries, "{0} retry", "{0} retries")]),
	];
}

function describeContext(context: readonly ContextEntry[]): string {
	return context.some(({ scope }) => scope === "all") ? t("context sent") : t("context changed");
}
