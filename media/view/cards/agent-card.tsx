import type { AgentReport } from "../../../agent-host/protocol/agent.ts";
import { countOf, t } from "../../../l10n/t.ts";
import type { ToolEntry } from "../../model/thread/entry.ts";
import { showExactly, showInvisible } from "../../model/words/invisible.ts";
import { Fold } from "../parts/fold.tsx";
import { usePage } from "../parts/page-context.ts";
import { STATUS, StatusMark } from "./status-mark.tsx";
import { WhyFailed } from "./why-failed.tsx";

interface Props {
	readonly entry: ToolEntry;
	readonly agent: AgentReport;
}

/** A sub-agent: its name, role and task, how it is, and the way to its thread. */
export function AgentCard({ entry, agent }: Props) {
	const { state } = agent;
	const summary = (
		<>
			<StatusMark status={state} icon="robot" />
			<span class="fold-title">{showExactly(entry.title)}</span>
			{state !== "completed" && (
				<span class="fold-note state" aria-hidden="true">
					{t(STATUS[state].note)}
				</span>
			)}
		</>
	);
	return (
		<>
			<Fold id={entry.key} summary={summary} draw={() => <AgentDetails agent={agent} />} />
			{state === "failed" && <WhyFailed id={entry.key} text={agent.summary ?? ""} />}
		</>
	);
}

function AgentDetails({ agent: { summary, changedFiles, threadId } }: { readonly agent: AgentReport }) {
	const page = usePage();
	return (
		<>
			<p class="plain agent-summary">{summary === undefined ? t("No result yet.") : showInvisible(summary)}</p>
			{changedFiles !== undefined && (
				<p class="quiet">{countOf(changedFiles, "{0} file changed", "{0} files changed")}</p>
			)}
			<button type="button" class="text-button" onClick={() => page.post({ type: "openThread", threadId })}>
				{t("Open Thread")}
			</button>
		</>
	);
}
