import { countOf, t } from "../../../l10n/t.ts";
import type { InspectorState } from "../../inspector-wire.ts";
import type { KindTotal, RequestModel } from "../../model/inspector/request-model.ts";

/** Number of distinct colours; the legend names them. */
const COLOURS = 6;

/** The context window: what fills it, and where compaction starts automatically. */
export function WindowBar({ state, model }: { readonly state: InspectorState; readonly model: RequestModel }) {
	const { kinds, compactPercent } = model;
	const limit = t("Compacts automatically at {0}.", countOf(state.autoCompactLimit, "{0} token", "{0} tokens"));
	return (
		<section aria-label={t("Context window usage")}>
			<div class="bar" aria-hidden="true">
				{kinds.map(({ kind, percent }, place) => (
					<span key={kind} class={`segment colour-${place % COLOURS}`} style={{ width: `${percent}%` }} />
				))}
				<span class="mark" style={{ left: `${compactPercent}%` }} title={limit} />
			</div>
			<ul class="legend">
				{kinds.map((total, place) => (
					<Legend key={total.kind} total={total} place={place} />
				))}
			</ul>
			<p class="quiet">{limit}</p>
		</section>
	);
}

function Legend({ total, place }: { readonly total: KindTotal; readonly place: number }) {
	return (
		<li>
			<span class={`swatch colour-${place % COLOURS}`} aria-hidden="true" />
			<span class="legend-name">{total.name}</span>
			<span class="quiet">
				{countOf(total.tokens, "{0} token", "{0} tokens")}, {formatPercent(total.percent)}
			</span>
		</li>
	);
}

function formatPercent(percent: number): string {
	return percent > 0 && percent < 1 ? t("under 1%") : t("{0}%", Math.round(percent));
}
