import type { AskHost, RefusedHost } from "../network/host-rules.ts";
import type { ClosedRead, Deletion, Policy } from "../permissions/policy/policy.ts";
import type { TurnId } from "../protocol/ids.ts";
import type { Said } from "../protocol/say.ts";
import type { Containment, ProcessBound } from "../protocol/thread/item.ts";

/** Shows the user a call's output while it runs. Only its outcome is recorded. */
export type Show = (text: string) => void;

/** A command as the model requests it: a shell string, or words that are run without a shell. */
export interface CommandCall {
	readonly command: string | readonly string[];
	/** Absolute. */
	readonly cwd: string;
	readonly timeoutMs: number | undefined;
	/** After this time it continues in the background, with its input open. Undefined: it runs to its end. */
	readonly yieldMs: number | undefined;
	/** Run outside the sandbox, which only the user can allow. */
	readonly escalated: boolean;
	/** The Git directory that it may write to. */
	readonly repository?: string | undefined;
	/** Closed places that the user lets it read. */
	readonly reads?: readonly ClosedRead[] | undefined;
	/** The `identity` of what the user allowed; anything else does not start. Undefined if no approval was needed. */
	readonly approved?: string | undefined;
	/** The model's call, so that the user can name it while it runs. */
	readonly callId?: string | undefined;
	/** Asks the user about unlisted hosts. */
	readonly askHost?: AskHost | undefined;
}

/** The containment of a command, in a few words and by kind. */
export interface Held {
	readonly sandbox: Said;
	readonly containment: Containment;
}

interface CommandOutput {
	readonly output: string;
	/** Everything it has written so far, including bytes that were not kept. */
	readonly outputBytes: number;
	readonly ms: number;
	readonly held: Held;
	/** Hosts it could not connect to. */
	readonly refusedHosts: readonly RefusedHost[];
	readonly bound: ProcessBound;
}

/** What is known about how a command ended. */
export type CommandReport =
	| {
			readonly state: "refused";
			readonly reason: string;
			/** Why no command can run here at all, as a code that a client can act on. */
			readonly code?: string;
	  }
	| (CommandOutput & {
			readonly state: "ended";
			readonly exitCode: number;
			readonly signal?: string;
			readonly notes: readonly string[];
	  })
	| (CommandOutput & {
			readonly state: "stopped";
			readonly by: "time" | "user" | "protection" | "limit";
			readonly notes: readonly string[];
	  })
	/** Continues in the background. `output` is what came since the last report. */
	| (CommandOutput & { readonly state: "running"; readonly processId: string; readonly notes: readonly string[] });

/** What a command would run as, for its approval. */
export interface CommandSubject {
	readonly argv: readonly string[];
	readonly program: string | undefined;
	readonly programIdentity: string | undefined;
	/** Every link resolved. */
	readonly cwd: string;
	readonly environment: readonly string[];
	readonly sandbox: Said;
	/** `none`: this machine has no sandbox. */
	readonly containment: Containment;
	readonly policyDigest: string;
	readonly network: Said;
	/** How long its input stays open at most; undefined if it has none. */
	readonly inputOpenMs: number | undefined;
	/** Identifies exactly what would be started. */
	readonly identity: string;
}

/** A background command, as it was started. */
export interface BackgroundProcess {
	readonly turnId: TurnId;
	readonly call: CommandCall;
	/** What was shown when it started. */
	readonly subject: CommandSubject;
	/** The policy of the turn that started it, or the wider one that the user approved. */
	readonly rights: Policy;
}

/** The effects of the command tools. Everything runs in the sandbox of the turn's policy, if the machine has one. */
export interface CommandPorts {
	/** `before` is called once it is sure to start, and done before it begins; if it fails, it does not run. */
	readonly runCommand: (
		call: CommandCall,
		show: Show,
		signal: AbortSignal,
		before?: () => Promise<void>,
	) => Promise<CommandReport>;
	readonly writeCommandInput: (
		processId: string,
		text: string,
		waitMs: number,
		signal: AbortSignal,
	) => Promise<CommandReport>;
	readonly stopCommand: (processId: string) => Promise<CommandReport>;
	readonly describeCommand: (call: CommandCall) => CommandSubject;
	/** The Git directory that a command in this folder would write to, if it is read-only in the sandbox. */
	readonly findRepository: (cwd: string) => Promise<string | undefined>;
	/** The real paths of those that commands cannot read. */
	readonly findClosedReads: (paths: readonly string[], cwd: string) => Promise<readonly ClosedRead[]>;
	/** One of the thread's background commands. */
	readonly findProcess: (processId: string) => BackgroundProcess | undefined;
	/** Counts what is below the paths that a command would delete. Does not follow links. */
	readonly measureDeletion: (paths: readonly string[], cwd: string) => Promise<Deletion>;
}
