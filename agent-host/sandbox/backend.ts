import type { CommandRequest, Refusal } from "./command/prepare.ts";
import type { RunningCommand, StartOptions } from "./command/watch.ts";
import type { SandboxProblem } from "./linux/probe.ts";

/** One way to contain commands: bubblewrap on Linux, Seatbelt on macOS. */
export interface Backend {
	/** Whether commands can be contained here, and if not, what helps. Tried once. */
	readonly probe: () => Promise<{ readonly ok: true } | { readonly ok: false; readonly problem: SandboxProblem }>;
	/** What is missing, as far as that can be told without starting anything. */
	readonly missing: () => Promise<SandboxProblem | undefined>;
	readonly start: (request: CommandRequest, options: StartOptions) => Promise<RunningCommand | Refusal>;
}
