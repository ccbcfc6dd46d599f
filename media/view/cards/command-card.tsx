import { describeCallEnd, describeExit, readCommandState } from "../../../agent-host/protocol/call-end.ts";
import type { CommandEnd } from "../../../agent-host/protocol/thread/item.ts";
import { sayHost } from "../../../l10n/host-words.ts";
import { countOf, t } from "../../../l10n/t.ts";
import { lastLines } from "../../model/thread/ansi.ts";
import { type CommandReport, readCommandReport, resolveStatus } from "../../model/thread/command-report.ts";
import type { ToolEntry } from "../../model/thread/entry.ts";
import type { ToolFacts } from "../../model/thread/tool-facts.ts";
import { showExactly, showInvisible } from "../../model/words/invisible.ts";
import { describeDuration } from "../../model/words/text.ts";
import { CodeBar } from "../parts/code-bar.tsx";
import { Fold } from "../parts/fold.tsx";
import { usePage } from "../parts/page-context.ts";
import { AskedDetails, awaitsAnswer, isDenied } from "./asked.tsx";
import { Colored, Output } from "./output.tsx";
import { StatusMark } from "./status-mark.tsx";
import { WhyUnasked } from "./why-unasked.tsx";

interface Props {
	readonly entry: ToolEntry;
	readonly facts: Extract<ToolFacts, { readonly kind: "command" }>;
	/** Output so far. */
	readonly output: string;
}

/** A command: its line, result and duration; its output is behind the fold, but for the last lines of a failure. */
export function CommandCard({ entry, facts, output }: Props) {
	const isRunning = entry.status === "running";
	const isOpen = usePage().openFolds.value.has(entry.key);
	const report = isRunning ? { ...NOTHING_YET, output } : readCommandReport(entry.command, output);
	const { end } = report;
	const wasDenied = isDenied(entry);
	const status = wasDenied ? "interrupted" : resolveStatus(entry.status, end);
	const state = isRunning ? undefined : readCommandState(end);
	// That the user stopped a command is no failure, and no success either.
	const shown = status === "completed" && state === "stopped" ? "interrupted" : status;
	const ending = describeEnd(end, entry, wasDenied);
	// Until it was denied, only the user took time.
	const took = entry.ms === undefined || wasDenied ? undefined : describeDuration(entry.ms);
	const refused = end.refusedHosts?.length ?? 0;
	const blocked = refused > 0 ? countOf(refused, "{0} site blocked", "{0} sites blocked") : undefined;
	const who = entry.by === "user" ? t("run by you") : undefined;
	const notes = [took, blocked, entry.held?.word, who].filter((note) => note !== undefined);
	const [line = "", ...more] = facts.command.split("\n");
	const summary = (
		<>
			<span class="fold-head">
				<StatusMark
					status={shown}
					icon="terminal"
					isAsking={awaitsAnswer(entry)}
					wasDenied={wasDenied}
					isBackground={state === "background"}
				/>
				<span class="fold-title mono" title={showExactly(facts.command)}>
					<span class="quiet" aria-hidden="true">
						{entry.by === "user" ? "!" : "$"}{" "}
					</span>
					{showExactly(line)}
					{more.length > 0 && " …"}
				</span>
				{ending !== undefined && <span class="fold-note counts">{showInvisible(ending)}</span>}
			</span>
			{notes.map((note, index) => (
				<span key={note} class="fold-note" title={showInvisible(entry.held?.words ?? "")}>
					{showInvisible(ending === undefined && index === 0 ? note : ` · ${note}`)}
				</span>
			))}
		</>
	);
	return (
		<>
			<Fold id={entry.key} summary={summary} draw={() => <Details entry={entry} facts={facts} report={report} />} />
			{isRunning && output !== "" && <Tail output={output} />}
			{isRunning && !awaitsAnswer(entry) && <MoveToBackground entry={entry} />}
			{!isRunning && !isOpen && report.output !== "" && (entry.by === "user" || status === "failed") && (
				<LastLines output={report.output} lines={entry.by === "user" ? OWN_LINES : TAIL_LINES} />
			)}
		</>
	);
}

const NOTHING_YET: CommandReport = { end: {}, notes: [], output: "" };

interface DetailsProps extends Omit<Props, "output"> {
	readonly report: CommandReport;
}

function Details({ entry, facts: { command, cwd }, report }: DetailsProps) {
	const page = usePage();
	const isRunning = entry.status === "running";
	const isFailed = resolveStatus(entry.status, report.end) === "failed";
	const place = [cwd === undefined || cwd === "." ? undefined : t("in {0}", cwd), entry.held?.words]
		.filter(Boolean)
		.join(" · ");
	return (
		<>
			<div class="code">
				<CodeBar label={t("Command")} copied={() => command} />
				<pre class="command-whole">{showExactly(command)}</pre>
			</div>
			{place !== "" && <p class="plain quiet">{showExactly(place)}</p>}
			{entry.by === "user" ? (
				<p class="plain quiet">{t("The model sees this with your next message.")}</p>
			) : (
				<WhyUnasked entry={entry} />
			)}
			<AskedDetails entry={entry} />
			{report.notes.map((note) => (
				<p key={note} class="plain">
					{showInvisible(note)}
				</p>
			))}
			{report.output === "" ? (
				<p class="quiet">{isRunning ? t("No output yet.") : t("No output.")}</p>
			) : (
				<>
					<Output
						label={t("Output")}
						text={report.output}
						state={isRunning ? "growing" : "whole"}
						{...(isFailed && { opensAt: "end" })}
					/>
					<button
						type="button"
						class="text-button"
						data-action="showInTerminal"
						onClick={() => page.post({ type: "showInTerminal", itemId: entry.itemId })}
					>
						{t("Open in Terminal")}
					</button>
				</>
			)}
		</>
	);
}

/** Lets the turn go on without waiting for the command. */
function MoveToBackground({ entry: { callId } }: { readonly entry: ToolEntry }) {
	const page = usePage();
	return (
		<button
			type="button"
			class="text-button below-line"
			data-action="moveToBackground"
			onClick={() => page.post({ type: "moveToBackground", callId })}
		>
			{t("Move to Background")}
		</button>
	);
}

const TAIL_LINES = 5;

/** The last lines of a running command, visible without opening anything. */
function Tail({ output }: { readonly output: string }) {
	return (
		<pre class="live-tail" aria-hidden="true">
			<Colored text={lastLines(output, TAIL_LINES)} />
		</pre>
	);
}

const OWN_LINES = 20;

/** What a person wants to read without opening anything: output of their own command, or why a command failed. */
function LastLines({ output, lines }: { readonly output: string; readonly lines: number }) {
	return (
		<pre class="live-tail last-lines">
			<code>
				<Colored text={lastLines(output, lines)} />
			</code>
		</pre>
	);
}

function describeEnd(command: CommandEnd, { status }: ToolEntry, isDenied: boolean): string | undefined {
	const end = describeCallEnd({ status, command }, isDenied);
	const isWell = end === undefined && status === "completed" && readCommandState(command) === "ended";
	const said = isWell ? describeExit(0) : end;
	return said && sayHost(said);
}
