/** A command as the model asks for it: a shell string, or words that are run without a shell. */
export interface CommandCall {
	readonly command: string | readonly string[];
	/** Absolute. */
	readonly cwd: string;
	readonly timeoutMs: number | undefined;
	/** After so long it goes on in the background, with its input open. Undefined: it runs to its end. */
	readonly yieldMs: number | undefined;
}

/** What became of a command, as far as it is known. */
export type CommandReport =
	| { readonly state: "refused"; readonly reason: string }
	| {
			readonly state: "ended";
			readonly exitCode: number;
			readonly signal?: string;
			readonly output: string;
			readonly ms: number;
			readonly notes: readonly string[];
	  }
	| {
			readonly state: "stopped";
			readonly by: "time" | "user";
			readonly output: string;
			readonly ms: number;
			readonly notes: readonly string[];
	  }
	/** Goes on in the background. `output` is what came since the last report. */
	| { readonly state: "running"; readonly processId: string; readonly output: string; readonly ms: number };

/** What a command would run as, for the user to see before they allow it. */
export interface CommandSubject {
	readonly argv: readonly string[];
	readonly program: string | undefined;
	readonly environment: readonly string[];
	readonly sandbox: string;
	readonly network: string;
}

/** The effects of the command tools. Whatever runs, runs in the sandbox of the turn's policy. */
export interface CommandPorts {
	readonly runCommand: (call: CommandCall, signal: AbortSignal) => Promise<CommandReport>;
	readonly writeCommandInput: (
		processId: string,
		text: string,
		waitMs: number,
		signal: AbortSignal,
	) => Promise<CommandReport>;
	readonly stopCommand: (processId: string) => Promise<CommandReport>;
	readonly describeCommand: (call: CommandCall) => CommandSubject;
}

/** A report as the model reads it. */
export function reportText(report: Exclude<CommandReport, { readonly state: "refused" }>): string {
	const seconds = `${(report.ms / 1_000).toFixed(1)} s`;
	const notes = report.state === "running" ? [] : report.notes;
	return [headline(report, seconds), ...notes, report.output === "" ? "No output." : `Output:\n${report.output}`].join(
		"\n",
	);
}

function headline(report: Exclude<CommandReport, { readonly state: "refused" }>, seconds: string): string {
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
