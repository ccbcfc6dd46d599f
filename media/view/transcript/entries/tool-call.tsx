import { t } from "../../../../l10n/t.ts";
import type { ToolEntry } from "../../../model/thread/entry.ts";
import { readToolFacts } from "../../../model/thread/tool-facts.ts";
import { showExactly, showInvisible } from "../../../model/words/invisible.ts";
import { describeCut } from "../../../model/words/text.ts";
import { AgentCard } from "../../cards/agent-card.tsx";
import { AskedDetails, awaitsAnswer, isDenied } from "../../cards/asked.tsx";
import { CommandCard } from "../../cards/command-card.tsx";
import { FindingsCard } from "../../cards/findings-card.tsx";
import { PatchCard } from "../../cards/patch-card.tsx";
import { PlanCard } from "../../cards/plan-card.tsx";
import { STATUS, StatusMark } from "../../cards/status-mark.tsx";
import { WhyFailed } from "../../cards/why-failed.tsx";
import { WhyUnasked } from "../../cards/why-unasked.tsx";
import { CodeBar } from "../../parts/code-bar.tsx";
import { Fold } from "../../parts/fold.tsx";

/** Longest output that is drawn. The model may have received more; Copy gives all of it. */
const SHOWN_OUTPUT_CHARS = 100_000;

interface Props {
	readonly entry: ToolEntry;
	/** Output so far. */
	readonly output: string;
}

/** A tool call: a sub-agent, a command, a patch, a plan, or anything else with its arguments and result. */
export function ToolCall({ entry, output }: Props) {
	if (entry.agent !== undefined) return <AgentCard entry={entry} agent={entry.agent} />;
	const facts = readToolFacts(entry);
	switch (facts.kind) {
		case "command":
			return <CommandCard entry={entry} facts={facts} output={output} />;
		case "patch":
			return <PatchCard entry={entry} facts={facts} />;
		case "plan":
			return <PlanCard entry={entry} facts={facts} />;
		case "findings":
			// One that the host refused was not a report.
			return entry.status === "failed" ? <OtherCall entry={entry} /> : <FindingsCard facts={facts} />;
		case "other":
			return <OtherCall entry={entry} />;
	}
}

/** Reading, searching and the rest look different at a glance. */
const ICONS: Readonly<Record<string, string>> = {
	read_file: "file",
	view_image: "file-media",
	list_files: "folder",
	search_files: "search",
	recall: "history",
	write_command_input: "terminal",
	stop_command: "terminal",
};

function OtherCall({ entry }: { readonly entry: ToolEntry }) {
	const summary = (
		<>
			<StatusMark
				status={entry.status}
				wasDenied={isDenied(entry)}
				icon={entry.isHook ? "symbol-event" : (ICONS[entry.name] ?? "tools")}
				isAsking={awaitsAnswer(entry)}
			/>
			<span class="fold-title">{showExactly(entry.title || entry.name)}</span>
			{(entry.status === "failed" || entry.status === "interrupted") && (
				<span class="fold-note state" aria-hidden="true">
					{isDenied(entry) ? t("denied") : t(STATUS[entry.status].note)}
				</span>
			)}
		</>
	);
	return (
		<>
			<Fold id={entry.key} summary={summary} draw={() => <ToolDetails entry={entry} />} />
			{entry.isHook && entry.status === "failed" && <WhyFailed id={entry.key} text={entry.output} />}
		</>
	);
}

function ToolDetails({ entry }: { readonly entry: ToolEntry }) {
	const call = showInvisible(indentJson(entry.arguments));
	const output = showInvisible(entry.output);
	const { length } = output;
	const hidden = length - SHOWN_OUTPUT_CHARS;
	return (
		<>
			<WhyUnasked entry={entry} />
			<AskedDetails entry={entry} />
			<Part
				label={entry.isHook ? t("Command") : showInvisible(t("{0}, called with", entry.name))}
				text={call}
				whole={call}
			/>
			{length > 0 && <Part label={t("Result")} text={output.slice(0, SHOWN_OUTPUT_CHARS)} whole={output} />}
			{hidden > 0 && (
				<p class="quiet">
					{describeCut(hidden)} {t("Copy includes all of them.")}
				</p>
			)}
			{length === 0 && <p class="quiet">{entry.status === "running" ? t("No result yet.") : t("No result.")}</p>}
		</>
	);
}

interface PartProps {
	readonly label: string;
	readonly text: string;
	readonly whole: string;
}

function Part({ label, text, whole }: PartProps) {
	return (
		<div class="code">
			<CodeBar label={label} copied={() => whole} />
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<section class="output" tabIndex={0} aria-label={label}>
				<pre>{text}</pre>
			</section>
		</div>
	);
}

/** Indents the model's JSON; other text is left unchanged. */
function indentJson(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}
