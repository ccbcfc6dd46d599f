import type { AskHost, RefusedHost } from "../network/host-rules.ts";
import type { CommandLimits, Policy } from "../permissions/policy/policy.ts";
import type { SandboxProblem } from "../permissions/policy/sandbox-problem.ts";
import type { ProcessBound } from "../protocol/thread/item.ts";

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

/** What contains the commands of one host. Nothing is tried or made before the first use. */
export interface Sandbox extends Backend {
	/** Runs a command to its end, or until the signal stops it. */
	readonly run: (request: CommandRequest, options: StartOptions, signal: AbortSignal) => Promise<CommandEnd>;
}

/** Where a backend looks for programs and keeps its files. */
export interface SandboxPlaces {
	/** The host's own folder: closed to every command. */
	readonly home: string;
	/** The PATH that bubblewrap is looked for in. */
	readonly path: string | undefined;
	/** Folders a bubblewrap is never taken from. */
	readonly folders: readonly string[];
}

export interface CommandRequest {
	readonly argv: readonly string[];
	/** Absolute. It decides where the command starts, never what it may touch. */
	readonly cwd: string;
	readonly policy: Policy;
	/** The digest the policy was sealed with; another one means that the policy was changed since. */
	readonly digest: string;
	/** The host's environment, of which the policy passes a part. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** A Git directory below a writable folder whose index, branches and history it may write. */
	readonly repository?: string | undefined;
	/** The thread whose temporary files it finds; absent: those of the host's own trials. */
	readonly owner?: string;
	/** An empty folder of its own for caches, for a command that has no temporary files of its own. */
	readonly caches?: string | undefined;
	/** The digest of the launch that the user allowed; another one does not start. Absent: nobody was asked. */
	readonly approved?: string | undefined;
	/** Asks the user about hosts that are not on the list. Absent: those are refused. */
	readonly askHost?: AskHost | undefined;
}

/** `protection`: what it must not touch was no longer kept from it. `limit`: it used more than it may. A note says what. */
export type StoppedBy = "time" | "user" | "protection" | "limit";

export interface CommandText {
	readonly text: string;
	/** Bytes the command wrote in all, and those of them that are not in `text`. */
	readonly bytes: number;
	readonly dropped: number;
}

/** How a command ended. `notes` are sentences about what the sandbox undid. */
export type CommandEnd =
	| Refusal
	| {
			readonly state: "ended";
			readonly exitCode: number;
			/** The signal behind an exit code above 128, such as SIGSEGV. */
			readonly signal?: string;
			readonly output: CommandText;
			readonly notes: readonly string[];
			readonly refusedHosts: readonly RefusedHost[];
			readonly bound: ProcessBound;
	  }
	| {
			readonly state: "stopped";
			readonly by: StoppedBy;
			readonly output: CommandText;
			readonly notes: readonly string[];
			readonly refusedHosts: readonly RefusedHost[];
			readonly bound: ProcessBound;
	  };

/** A command that has been started. It is over, with everything it started, when `ended` resolves. */
export interface RunningCommand {
	readonly state: "running";
	readonly ended: Promise<CommandEnd>;
	/** What it wrote since the last time this was asked. */
	readonly takeNew: () => string;
	/** What is kept of all that it wrote; takes nothing from `takeNew`. */
	readonly read: () => string;
	/** All that it has written so far. */
	readonly bytes: () => number;
	/** Hosts it asked for in vain, until now. */
	readonly refusedHosts: () => readonly RefusedHost[];
	/** What bounds its processes. */
	readonly bound: ProcessBound;
	/** Undoes what it has made until now and must not make; one sentence for each. */
	readonly check: () => Promise<readonly string[]>;
	/** Says whether there was an input to write to. */
	readonly write: (text: string) => boolean;
	readonly stop: () => void;
}

/** How long a command may run. Time in which it waits for the user is not its own. */
export interface TimeLimit {
	/** Begins to count. */
	readonly start: (over: () => void) => void;
	/** Stands still until that is settled. */
	readonly pauseFor: <T>(wait: () => Promise<T>) => Promise<T>;
	readonly end: () => void;
}

export interface StartOptions {
	readonly limits: Pick<CommandLimits, "outputBytes" | "timeoutMs">;
	/** The same time, for whoever has to stop the clock; it begins with the command. */
	readonly timeLimit?: TimeLimit;
	/** `kept`: output is collected, both streams as one. `inherited`: all three streams are the host's own. */
	readonly streams: "kept" | "inherited";
	/** `closed`: the command reads the end of its input at once. `open`: it waits for what is written. */
	readonly input: "closed" | "open";
	/** Told what came since the last time, at most ten times a second. */
	readonly onOutput?: (text: string) => void;
}

export interface Refusal {
	readonly state: "refused";
	readonly code:
		| "sandbox-unavailable"
		| "policy-changed"
		| "approval-outdated"
		| "policy-unenforceable"
		| "bad-cwd"
		| "no-such-program";
	readonly reason: string;
}

export function refuse(code: Refusal["code"], reason: string): Refusal {
	return { state: "refused", code, reason };
}
