import { countOf, type Message, t } from "../../../l10n/t.ts";
import type { FindingFacts, ToolFacts } from "../../model/thread/tool-facts.ts";
import { showExactly, showInvisible } from "../../model/words/invisible.ts";
import { nameFinding } from "../../wire/finding.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

interface Props {
	readonly facts: Extract<ToolFacts, { readonly kind: "findings" }>;
}

const SEVERITIES: Record<FindingFacts["severity"], { readonly icon: string; readonly word: Message }> = {
	error: { icon: "error", word: "Error" },
	warning: { icon: "warning", word: "Warning" },
	info: { icon: "info", word: "Information" },
};

/** What a review found, each with its place, a way to fix it and a way to dismiss it. */
export function FindingsCard({ facts: { findings } }: Props) {
	const dismissed = new Set(usePage().panel.value?.dismissed ?? []);
	const open = findings.filter((finding) => !dismissed.has(nameFinding(finding)));
	const hidden = findings.length - open.length;
	return (
		<section class="findings" aria-label={t("Review findings")}>
			<div class="plan-head">
				<Icon name="checklist" />
				<span class="fold-title">
					{open.length === 0
						? t("Review: no findings")
						: countOf(open.length, "Review: {0} finding", "Review: {0} findings")}
				</span>
				{hidden > 0 && <span class="quiet">{t("{0} dismissed", hidden)}</span>}
			</div>
			<ul class="steps">
				{open.map((finding, index) => (
					<FindingRow key={index} finding={finding} />
				))}
			</ul>
		</section>
	);
}

function FindingRow({ finding }: { readonly finding: FindingFacts }) {
	const page = usePage();
	const { severity, path, line, title, reason } = finding;
	const { icon, word } = SEVERITIES[severity];
	const fix = (): void => {
		const text = t("Fix this finding of the review: {0}: {1}. {2}", `${path}:${line}`, title, reason);
		page.composer.compose({ type: "compose", text, attach: [], how: "send" });
	};
	return (
		<li class={`finding-${severity}`}>
			<Icon name={icon} />
			<div class="finding-text">
				<span class="sr-only">{t(word)}: </span>
				<strong class="plain">{showInvisible(title)}</strong>{" "}
				<button type="button" class="text-button mono" onClick={() => page.post({ type: "openFile", path, line })}>
					{showExactly(`${path}:${line}`)}
				</button>
				<p class="plain">{showInvisible(reason)}</p>
				<span class="actions">
					<button type="button" class="text-button" data-action="fixFinding" onClick={fix}>
						{t("Fix")}
					</button>
					<button
						type="button"
						class="text-button"
						data-action="dismissFinding"
						onClick={() => page.post({ type: "dismissFinding", path, title })}
					>
						{t("Dismiss")}
					</button>
				</span>
			</div>
		</li>
	);
}
