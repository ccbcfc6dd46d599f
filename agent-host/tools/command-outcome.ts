import { refusedText } from "../network/rules.ts";
import type { CommandEnd } from "../protocol/item.ts";
import type { CommandReport } from "./command.ts";
import type { ToolOutcome } from "./tool.ts";

type Ran = Exclude<CommandReport, { readonly state: "refused" }>;

/** A report as the model reads it, and as the card shows it. */
export function outcomeOf(report: CommandReport): ToolOutcome {
	if (report.state === "refused") {
		const { code, reason } = report;
		return { ok: false, reason: code === "sandbox-unavailable" ? `${code}: ${reason}` : reason };
	}
	const text = reportText(report, `${(report.ms / 1_000).toFixed(1)} s`);
	// Whoever waits for a command that runs does not go round in circles: time passes.
	const lasting = reportText(report, report.state === "running" ? `${report.ms} ms` : "a while");
	return { ok: true, text, lasting, command: endOf(report) };
}

function reportText(report: Ran, duration: string): string {
	const output = report.output === "" ? "No output." : `Output:\n${report.output}`;
	return [headline(report, duration), ...report.notes, ...report.refusedHosts.map(refusedText), output].join("\n");
}

function headline(report: Ran, seconds: string): string {
	switch (report.state) {
		case "ended": {
			const signal = report.signal === undefined ? "" : ` (ended by ${report.signal})`;
			return `Exit code ${report.exitCode}${signal} after ${seconds}.`;
		}
		case "stopped":
			return report.by === "time"
				? `Stopped with everything it had started: it ran longer than its time limit (${seconds}).`
				: `Stopped with everything it had started, after ${seconds}.`;
		case "running":
			return `Still running after ${seconds} as process ${report.processId}. Read on or write to it with write_command_input, end it with stop_command.`;
	}
}

function endOf(report: Ran): CommandEnd {
	const { outputBytes, held, refusedHosts, bound } = report;
	const refused = refusedHosts.length === 0 ? {} : { refusedHosts: [...refusedHosts] };
	const known = { ...held, outputBytes, durationMs: Math.round(report.ms), ...refused, processBound: bound };
	switch (report.state) {
		case "ended":
			return {
				exitCode: report.exitCode,
				...(report.signal === undefined ? {} : { signal: report.signal }),
				...known,
			};
		case "stopped":
			return { timedOut: report.by === "time", ...known };
		case "running":
			return known;
	}
}
