import type { CommandRequest, Refusal } from "./prepare.ts";
import type { SandboxProblem } from "./probe.ts";
import type { RunningCommand, StartOptions } from "./watch.ts";

/** One way to contain commands: bubblewrap on Linux, Seatbelt on macOS. */
export interface Backend {
	/** Whether commands can be contained here, and if not, what helps. Tried once. */
	readonly probe: () => Promise<{ readonly ok: true } | { readonly ok: false; readonly problem: SandboxProblem }>;
	/** What is missing, as far as that can be told without starting anything. */
	readonly missing: () => Promise<SandboxProblem | undefined>;
	readonly start: (request: CommandRequest, options: StartOptions) => Promise<RunningCommand | Refusal>;
}
