import type { RefusedHost } from "../network/rules.ts";
import type { Deletion } from "../permissions/policy.ts";
import type { Containment, ProcessBound } from "../protocol/item.ts";

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
	readonly environment: readonly string[];
	readonly sandbox: string;
	readonly network: string;
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
	/** What is below the paths that a command would delete. Links are not followed. */
	readonly measureDeletion: (paths: readonly string[], cwd: string) => Promise<Deletion>;
}
