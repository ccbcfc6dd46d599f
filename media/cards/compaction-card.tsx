import type { CompactionEntry } from "../entry.ts";
import { Fold } from "../view/fold.tsx";
import { Icon } from "../view/icon.tsx";
import { showInvisible } from "../view/invisible.ts";
import { usePage } from "../view/page-context.ts";
import { countOf } from "../view/text.ts";

type Report = CompactionEntry["report"];

/** What a compaction replaced, and the way back. Everything above it stays to be read. */
export function CompactionCard({ entry }: { readonly entry: CompactionEntry }) {
	const page = usePage();
	const { key, report, state } = entry;
	const { turns, before, after } = report;
	const verb = state === "undone" ? "Compaction undone" : "Compacted";
	const size = `${before.toLocaleString("en-US")} → ${after.toLocaleString("en-US")} tokens`;
	const summary = (
		<>
			<Icon name="fold" />
			<span class="fold-title">
				{verb} {countOf(turns, "turn")}: {size}
			</span>
		</>
	);
	return (
		<div class="compaction">
			<Fold id={key} summary={summary} draw={() => <Details report={report} />} />
			{page.undoable.value === report.compactionId && state === "applied" && (
				<button type="button" class="text-button" data-action="undoCompaction" onClick={() => page.undoCompaction()}>
					Undo
				</button>
			)}
		</div>
	);
}

/** Why there is none to read. */
const NO_SUMMARY: Record<Report["strategy"], string> = {
	structured: "",
	remote: "The model's server wrote a summary that only it can read.",
	deterministic: "No summary was written: old tool output was removed instead.",
};

function Details({ report }: { readonly report: Report }) {
	const { verbatim, dropped, summary, repaired, fallback, strategy } = report;
	const kept = `${countOf(verbatim.length, "message")} of yours`;
	const lost = dropped.map(({ kind, count }) => `${count} ${kind}`).join(", ");
	return (
		<>
			<p class="quiet">The transcript above stays complete. The model can read all of it again.</p>
			{fallback !== undefined && <p>{showInvisible(fallback)}</p>}
			<p>
				Stays word for word: {kept}
				{repaired > 0 && `, ${countOf(repaired, "quote")} put right`}. No longer sent:{" "}
				{showInvisible(lost) || "nothing"}.
			</p>
			{summary === "" ? (
				<p class="quiet">{NO_SUMMARY[strategy]}</p>
			) : (
				<div class="code">
					{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
					<section class="output" tabIndex={0} aria-label="Summary">
						<pre class="summary">{showInvisible(summary)}</pre>
					</section>
				</div>
			)}
		</>
	);
}
