import { sayHost } from "../../../l10n/host-words.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";
import { nameItem, nameKind } from "../../model/inspector/request-model.ts";
import type { CompactionEntry } from "../../model/thread/entry.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { Fold } from "../parts/fold.tsx";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

type Report = CompactionEntry["report"];

/** What a compaction replaced, and how to undo it. Everything above stays readable. */
export function CompactionCard({ entry }: { readonly entry: CompactionEntry }) {
	const page = usePage();
	const { key, report, state } = entry;
	const words = state === "undone" ? t("Compaction undone (back to {0} tokens)", report.before) : describe(report);
	const summary = (
		<>
			<Icon name="fold" />
			<span class="fold-title">{words}</span>
		</>
	);
	return (
		<div class="compaction">
			<Fold id={key} summary={summary} draw={() => <Details report={report} />} />
			{page.thread.undoable.value === report.compactionId && state === "applied" && (
				<button
					type="button"
					class="text-button"
					data-action="undoCompaction"
					onClick={() => page.post({ type: "undoCompaction" })}
				>
					{t("Undo")}
				</button>
			)}
		</div>
	);
}

function describe({ turns, before, after }: Report): string {
	const what = countOf(turns, "{0} turn", "{0} turns");
	return after < before
		? t("Compacted {0}: {1} → {2} tokens", what, before, after)
		: t("Context not smaller: {0}, from {1} to {2} tokens", what, before, after);
}

/** Why there is no summary to read. */
const NO_SUMMARY: Record<Report["strategy"], Message> = {
	structured: "No text.",
	remote: "The model's server wrote a summary that only it can read.",
	deterministic: "No summary was written: old tool output was removed instead.",
};

function Details({ report }: { readonly report: Report }) {
	const { verbatim, dropped, summary, repaired, fallback, fallbackSaid, strategy } = report;
	const kept = countOf(verbatim.length, "{0} message from you", "{0} messages from you");
	const fixed = repaired === 0 ? "" : `, ${countOf(repaired, "{0} quote corrected", "{0} quotes corrected")}`;
	const lost = dropped.map(({ kind, count }) => `${count} ${count === 1 ? nameItem(kind) : nameKind(kind)}`).join(", ");
	return (
		<>
			<p class="quiet">{t("The transcript above is complete. The model can still retrieve all of it.")}</p>
			{fallback !== undefined && <p>{showInvisible(sayHost({ message: fallback, ...fallbackSaid }))}</p>}
			<p>{t("Kept verbatim: {0}. No longer sent: {1}.", kept + fixed, showInvisible(lost) || t("nothing"))}</p>
			{summary === "" ? (
				<p class="quiet">{t(NO_SUMMARY[strategy])}</p>
			) : (
				<div class="code">
					{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
					<section class="output" tabIndex={0} aria-label={t("Summary")}>
						<pre class="summary">{showInvisible(summary)}</pre>
					</section>
				</div>
			)}
		</>
	);
}
