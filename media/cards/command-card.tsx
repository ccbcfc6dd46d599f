import type { ToolEntry } from "../entry.ts";
import { Fold } from "../view/fold.tsx";
import { showInvisible } from "../view/invisible.ts";
import { describeDuration } from "../view/text.ts";
import { Colored, Output } from "./output.tsx";
import { StatusMark } from "./status-mark.tsx";
import type { ToolFacts } from "./tool-facts.ts";

interface Props {
	readonly entry: ToolEntry;
	readonly facts: Extract<ToolFacts, { readonly kind: "command" }>;
	/** The output so far. */
	readonly output: string;
}

/** A command: its line, how it ended, how long it took and what held it; its output behind the line. */
export function CommandCard({ entry, facts: { command, cwd }, output }: Props) {
	const notes = [endOf(entry), entry.ms === undefined ? undefined : describeDuration(entry.ms), entry.command?.sandbox];
	const said = notes.filter((note) => note !== undefined && note !== "").join(" · ");
	const line = showInvisible(command.split("\n", 1)[0] ?? "");
	const summary = (
		<>
			<StatusMark status={entry.status} />
			<span class="fold-title mono">
				<span class="quiet" aria-hidden="true">
					${" "}
				</span>
				{line}
				{command.includes("\n") && " …"}
			</span>
			{said !== "" && <span class="fold-note">{showInvisible(said)}</span>}
		</>
	);
	const isRunning = entry.status === "running";
	return (
		<>
			<Fold
				id={entry.key}
				summary={summary}
				draw={() => (
					<>
						{(command.includes("\n") || cwd !== undefined) && (
							<div class="plain mono quiet">{showInvisible(cwd === undefined ? command : `in ${cwd}\n${command}`)}</div>
						)}
						{output === "" ? (
							<p class="quiet">{isRunning ? "No output yet." : "No output."}</p>
						) : (
							<Output label="Output" text={output} state={isRunning ? "growing" : "whole"} />
						)}
					</>
				)}
			/>
			{isRunning && output !== "" && <Tail output={output} />}
		</>
	);
}

const TAIL_LINES = 5;
const TAIL_CHARS = 2_000;

/** The last lines while it runs, so that one sees it work without opening anything. */
function Tail({ output }: { readonly output: string }) {
	const lines = output.slice(-TAIL_CHARS).trimEnd().split("\n");
	return (
		<pre class="live-tail" aria-hidden="true">
			<Colored text={lines.slice(-TAIL_LINES).join("\n")} />
		</pre>
	);
}

function endOf({ status, command }: ToolEntry): string | undefined {
	if (command?.timedOut) return "timed out";
	if (command?.signal !== undefined) return `ended by ${command.signal}`;
	if (command?.exitCode !== undefined) return `exit ${command.exitCode}`;
	return status === "failed" ? "failed" : status === "interrupted" ? "stopped" : undefined;
}
