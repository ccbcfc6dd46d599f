import { t } from "../../l10n/t.ts";
import { formatMoney } from "../model/composer/meters.ts";
import { NOTHING_SPLIT, splitWhole } from "../model/markdown/blocks.ts";
import type { AsideCard } from "../model/page-aside.ts";
import { showInvisible } from "../model/words/invisible.ts";
import { actOnText, pressesLink } from "./markdown/act-on-text.ts";
import { renderBlock } from "./markdown/markdown.ts";
import { Icon } from "./parts/icon.tsx";
import { usePage } from "./parts/page-context.ts";

/** A side question with its answer, above the composer until it is dismissed. */
export function Aside() {
	const { aside } = usePage();
	const card = aside.card.value;
	if (card === undefined) return null;
	return (
		<section class="aside" aria-label={t("Side question")} aria-live="polite">
			<div class="aside-head">
				<Icon name="comment" />
				<span class="plain aside-question">{showInvisible(card.question)}</span>
				<button
					type="button"
					class="icon-button"
					title={t("Dismiss")}
					aria-label={t("Dismiss")}
					onClick={() => aside.dismiss()}
				>
					<Icon name="close" />
				</button>
			</div>
			<AsideBody card={card} />
		</section>
	);
}

function AsideBody({ card: { answer, problem } }: { readonly card: AsideCard }) {
	const page = usePage();
	if (problem !== undefined) return <p class="plain aside-problem">{showInvisible(problem)}</p>;
	if (answer === undefined) return <p class="quiet">{t("Waiting for the answer…")}</p>;
	const { finished, references } = splitWhole(answer.text, NOTHING_SPLIT);
	const cost = answer.cost === undefined ? [] : [formatMoney({ money: answer.cost })];
	return (
		<>
			{/* biome-ignore lint/a11y/noStaticElementInteractions: one listener for all links and buttons of code inside */}
			<div
				class="markdown"
				onClick={(event) => actOnText(page, event)}
				onKeyDown={(event) => pressesLink(event) && actOnText(page, event)}
			>
				{finished.map((block) => renderBlock(block, references))}
			</div>
			<p class="quiet">{[t("Not part of the thread"), answer.model, ...cost].join(" · ")}</p>
		</>
	);
}
