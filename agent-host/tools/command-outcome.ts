import { refusedText } from "../network/host-rules.ts";
import { nameSaid } from "../protocol/say.ts";
import type { CommandEnd } from "../protocol/thread/item.ts";
import type { CommandReport } from "./command-call.ts";
import type { ToolOutcome } from "./tool-ports.ts";

type Ran = Exclude<CommandReport, { readonly state: "refused" }>;

/** A report for the model, and for the card. */
export function toOutcome(report: CommandReport): ToolOutcome {
	if (report.state === "refused") return { ok: false, reason: report.reason };
	const head = writeHead(report, `${(report.ms / 1_000).toFixed(1)} s`);
	// Waiting for a running command is not a loop.
	const lasting = writeHead(report, report.state === "running" ? `${report.ms} ms` : "a while") + report.output;
	return {
		ok: true,
		text: head + report.output,
		lasting,
		command: { ...toCommandEnd(report), outputFrom: head.length },
	};
}

/** Everything before the command's own output. */
function writeHead(report: Ran, duration: string): string {
	const output = report.output === "" ? "No output." : "Output:\n";
	return [writeHeadline(report, duration), ...listSentences(report), output].join("\n");
}

function listSentences({ notes, refusedHosts }: Ran): readonly string[] {
	return [...notes, ...refusedHosts.map(refusedText)];
}

function writeHeadline(report: Ran, seconds: string): string {
	switch (report.state) {
		case "ended": {
			const signal = report.signal === undefined ? "" : ` (killed by ${report.signal})`;
			return `Exit code ${report.exitCode}${signal} after ${seconds}.`;
		}
		case "stopped":
			return report.by === "time"
				? `Timed out after ${seconds} and was killed with all its child processes.`
				: `Stopped with all its child processes after ${seconds}.`;
		case "running":
			return `Still running after ${seconds} as process ${report.processId}. Read its output or write to its stdin with write_command_input; stop it with stop_command.`;
	}
}

function toCommandEnd(report: Ran): CommandEnd {
	const { outputBytes, held, refusedHosts, bound } = report;
	const refused = refusedHosts.length === 0 ? {} : { refusedHosts: [...refusedHosts] };
	const said = listSentences(report);
	const notes = said.length === 0 ? {} : { notes: [...said] };
	const { sandbox, containment } = held;
	const by = { sandbox: sandbox.text, sandboxSaid: nameSaid(sandbox), containment };
	const known = { ...notes, ...by, outputBytes, durationMs: Math.round(report.ms), ...refused, processBound: bound };
	switch (report.state) {
		case "ended":
			return {
				state: "ended",
				exitCode: report.exitCode,
				...(report.signal === undefined ? {} : { signal: report.signal }),
				...known,
			};
		case "stopped":
			return { state: "stopped", stoppedBy: report.by, timedOut: report.by === "time", ...known };
		case "running":
			return { state: "background", processId: report.processId, ...known };
	}
}
