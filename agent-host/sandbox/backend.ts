import type { AskHost, RefusedHost } from "../network/host-rules.ts";
import type { CommandLimits, Policy } from "../permissions/policy/policy.ts";
import type { SandboxProblem } from "../permissions/policy/sandbox-problem.ts";
import type { HostWarning } from "../protocol/host/host.ts";
import type { ProcessBound } from "../protocol/thread/item.ts";

/** A sandbox technology: bubblewrap on Linux, Seatbelt on macOS. */
export interface Backend {
	readonly kind: "bubblewrap" | "seatbelt";
	/**
	 * Whether commands can be contained here, and if not, the remedy. Tried once, and again if something it depends on
	 * has changed or a command could not be started; `failed`: also if it failed before. `notice`: it works, but the
	 * user should know how.
	 */
	readonly probe: (
		retry?: "failed",
	) => Promise<
		{ readonly ok: true; readonly notice?: HostWarning } | { readonly ok: false; readonly problem: SandboxProblem }
	>;
	/** A command could not be contained: the next probe tries again. */
	readonly doubt: () => void;
	/** What is missing, as far as that can be told without starting anything. */
	readonly missing: () => Promise<SandboxProblem | undefined>;
	readonly start: (request: CommandRequest, options: StartOptions) => Promise<RunningCommand | Refusal>;
	/** The sandbox's arguments for a command, for display. Creates and starts nothing; contains no variable's value. */
	readonly compile: (request: CommandRequest) => Promise<readonly string[] | Refusal>;
}

/** The sandbox of one host. Nothing is tried or created before the first use. */
export interface Sandbox extends Backend {
	/** Runs a command to its end, or until the signal stops it. */
	readonly run: (request: CommandRequest, options: StartOptions, signal: AbortSignal) => Promise<CommandEnd>;
}

/** Where a backend looks for programs and keeps its files. */
export interface SandboxPlaces {
	/** The host's own folder, closed to every command. */
	readonly home: string;
	/** The PATH in which bubblewrap is searched. */
	readonly path: string | undefined;
	/** Folders from which bubblewrap is never taken. */
	readonly folders: readonly string[];
}

export interface CommandRequest {
	readonly argv: readonly string[];
	/** Absolute. Only where the command starts; it does not affect what it may touch. */
	readonly cwd: string;
	readonly policy: Policy;
	/** The digest that the policy was sealed with; a different one means that the policy was changed since. */
	readonly digest: string;
	/** The host's environment, of which the policy passes on a part. */
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** A Git directory below a writable folder whose index, branches and history it may write. */
	readonly repository?: string | undefined;
	/** The thread whose temporary files it sees; absent for the host's own probes. */
	readonly owner?: string;
	/** An empty cache folder for a command without its own temporary files. */
	readonly caches?: string | undefined;
	/**
	 * The digest of the launch that the user approved; a different launch does not start. Absent if no approval was
	 * needed.
	 */
	readonly approved?: string | undefined;
	/** Asks the user about unlisted hosts. If absent, those are refused. */
	readonly askHost?: AskHost | undefined;
}

/** `protection`: protected places were no longer guarded. `limit`: it exceeded a resource limit. A note says which. */
export type StoppedBy = "time" | "user" | "protection" | "limit";

export interface CommandText {
	readonly text: string;
	/** Bytes the command wrote in total, and how many of them are not in `text`. */
	readonly bytes: number;
	readonly dropped: number;
}

/** How a command ended. `notes` are sentences about what the sandbox undid. */
export type CommandEnd =
	| Refusal
	| {
			readonly state: "ended";
			readonly exitCode: number;
			/** The signal of an exit code above 128, such as SIGSEGV. */
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

/** A started command. When `ended` resolves, it and everything it started are gone. */
export interface RunningCommand {
	readonly state: "running";
	readonly ended: Promise<CommandEnd>;
	/** Its output since the last call. */
	readonly takeNew: () => string;
	/** The kept part of its output; does not affect `takeNew`. */
	readonly read: () => string;
	/** Everything it has written so far. */
	readonly bytes: () => number;
	/** Hosts it could not connect to so far. */
	readonly refusedHosts: () => readonly RefusedHost[];
	/** What limits its number of processes. */
	readonly bound: ProcessBound;
	/** Undoes what it has made so far and must not make; one sentence for each. */
	readonly check: () => Promise<readonly string[]>;
	/** Returns whether there was an input to write to. */
	readonly write: (text: string) => boolean;
	/** No more input follows. */
	readonly endInput: () => void;
	readonly stop: () => void;
}

/** The time limit of a command. Time in which it waits for the user does not count. */
export interface TimeLimit {
	/** Starts the clock. */
	readonly start: (over: () => void) => void;
	/** Stops the clock until the promise is settled. */
	readonly pauseFor: <T>(wait: () => Promise<T>) => Promise<T>;
	/** Gives it at least this much time from now on. */
	readonly extend: (ms: number) => void;
	readonly end: () => void;
}

export interface StartOptions {
	readonly limits: Pick<CommandLimits, "outputBytes" | "timeoutMs">;
	/** The same limit, for callers that stop the clock; it starts with the command. */
	readonly timeLimit?: TimeLimit;
	/**
	 * `kept`: output is collected, both streams together. `split`: only the error output is collected. `inherited`: all
	 * three streams are the host's.
	 */
	readonly streams: "kept" | "split" | "inherited";
	/** With `split`, receives the standard output as it comes. */
	readonly onData?: (bytes: Buffer) => void;
	/** `closed`: stdin is at its end from the start. `open`: the command can wait for input. */
	readonly input: "closed" | "open";
	/** Receives new output, at most ten times a second. */
	readonly onOutput?: (text: string) => void;
	/**
	 * Called once the command is sure to start, at the latest possible moment; the command begins only when that is done.
	 * If it fails, the command never begins, and the start fails, too.
	 */
	readonly before?: (() => Promise<void>) | undefined;
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
