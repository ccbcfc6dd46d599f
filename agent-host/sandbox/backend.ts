import type { SandboxProblem } from "../permissions/sandbox-problem.ts";
import type { CommandRequest, Refusal } from "./command/prepare.ts";
import type { RunningCommand, StartOptions } from "./command/watch.ts";

/** One way to contain commands: bubblewrap on Linux, Seatbelt on macOS. */
export interface Backend {
	readonly kind: "bubblewrap" | "seatbelt";
	/**
	 * Whether commands can be contained here, and if not, what helps. Tried once, and again when what it depends on has changed
	 * or a command could not be started; `failed`: also when it failed before.
	 */
	readonly probe: (
		retry?: "failed",
	) => Promise<{ readonly ok: true } | { readonly ok: false; readonly problem: SandboxProblem }>;
	/** A command could not be contained: the next probe tries again. */
	readonly doubt: () => void;
	/** What is missing, as far as that can be told without starting anything. */
	readonly missing: () => Promise<SandboxProblem | undefined>;
	readonly start: (request: CommandRequest, options: StartOptions) => Promise<RunningCommand | Refusal>;
	/** What the sandbox would be told for a command, to look at. Nothing is made or started; no variable's value is in it. */
	readonly compile: (request: CommandRequest) => Promise<readonly string[] | Refusal>;
}
