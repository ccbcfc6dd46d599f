import type { AskHost, RefusedHost } from "../network/host-rules.ts";
import type { ClosedRead, Deletion, Policy } from "../permissions/policy/policy.ts";
import type { TurnId } from "../protocol/ids.ts";
import type { Containment, ProcessBound } from "../protocol/thread/item.ts";

/** Shows the user what a call writes while it runs. Only its outcome is recorded. */
export type Show = (text: string) => void;

/** A command as the model asks for it: a shell string, or words that are run without a shell. */
export interface CommandCall {
	readonly command: string | readonly string[];
	/** Absolute. */
	readonly cwd: string;
	readonly timeoutMs: number | undefined;
	/** After so long it goes on in the background, with its input open. Undefined: it runs to its end. */
	readonly yieldMs: number | undefined;
	/** To run outside the sandbox, which only the user can allow. */
	readonly escalated: boolean;
	/** The Git directory that it may write to. */
	readonly repository?: string | undefined;
	/** Closed places that the user lets it read. */
	readonly reads?: readonly ClosedRead[] | undefined;
	/** The `identity` of what the user allowed; anything else does not start. Undefined: nobody was asked. */
	readonly approved?: string | undefined;
	/** Asks the user about hosts that are not on the list. */
	readonly askHost?: AskHost | undefined;
}

/** What a command was held by, in a few words and by kind. */
export interface Held {
	readonly sandbox: string;
	readonly containment: Containment;
}

interface Written {
	readonly output: string;
	/** All that it has written so far, kept or not. */
	readonly outputBytes: number;
	readonly ms: number;
	readonly held: Held;
	/** Hosts it asked for in vain. */
	readonly refusedHosts: readonly RefusedHost[];
	readonly bound: ProcessBound;
}

/** What became of a command, as far as it is known. */
export type CommandReport =
	| {
			readonly state: "refused";
			readonly reason: string;
			/** Why nothing could run here at all, in one word that a client can act on. */
			readonly code?: string;
	  }
	| (Written & {
			readonly state: "ended";
			readonly exitCode: number;
			readonly signal?: string;
			readonly notes: readonly string[];
	  })
	| (Written & {
			readonly state: "stopped";
			readonly by: "time" | "user" | "protection" | "limit";
			readonly notes: readonly string[];
	  })
	/** Goes on in the background. `output` is what came since the last report. */
	| (Written & { readonly state: "running"; readonly processId: string; readonly notes: readonly string[] });

/** What a command would run as, for the user to see before they allow it. */
export interface CommandSubject {
	readonly argv: readonly string[];
	readonly program: string | undefined;
	readonly programIdentity: string | undefined;
	/** Every link resolved. */
	readonly cwd: string;
	readonly environment: readonly string[];
	readonly sandbox: string;
	readonly policyDigest: string;
	readonly network: string;
	/** How long its input stays open at most; undefined when it has none. */
	readonly inputOpenMs: number | undefined;
	/** Stands for what exactly would be started. */
	readonly identity: string;
}

/** A command in the background, as it was started. */
export interface BackgroundProcess {
	readonly turnId: TurnId;
	readonly call: CommandCall;
	/** What was to be seen of it when it started. */
	readonly subject: CommandSubject;
	/** The policy of the turn that started it, or what the user let it out of. */
	readonly rights: Policy;
}

/** The effects of the command tools. Whatever runs, runs in the sandbox of the turn's policy. */
export interface CommandPorts {
	readonly runCommand: (call: CommandCall, show: Show, signal: AbortSignal) => Promise<CommandReport>;
	readonly writeCommandInput: (
		processId: string,
		text: string,
		waitMs: number,
		signal: AbortSignal,
	) => Promise<CommandReport>;
	readonly stopCommand: (processId: string) => Promise<CommandReport>;
	readonly describeCommand: (call: CommandCall) => CommandSubject;
	/** The Git directory that a command in this folder would write to, when the sandbox only lets it be read. */
	readonly findRepository: (cwd: string) => Promise<string | undefined>;
	/** Where these lie, of which commands cannot read some. */
	readonly findClosedReads: (paths: readonly string[], cwd: string) => Promise<readonly ClosedRead[]>;
	/** One of the thread's own commands that runs in the background. */
	readonly findProcess: (processId: string) => BackgroundProcess | undefined;
	/** What is below the paths that a command would delete. Links are not followed. */
	readonly measureDeletion: (paths: readonly string[], cwd: string) => Promise<Deletion>;
}
