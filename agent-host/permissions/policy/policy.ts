import { createHash } from "node:crypto";
import type {
	ApprovalPolicy,
	CommandRule,
	EnvironmentPolicy,
	PermissionMode,
	PolicyEntry,
	SandboxProblemCode,
} from "../../protocol/settings/policy-settings.ts";

/**
 * What a turn may touch. The words the model reads, the words the user sees, the verdict on a call and the sandbox's
 * arguments are all made from this one value. Whatever it does not grant is closed.
 */
export interface Policy {
	readonly mode: PermissionMode;
	readonly approval: ApprovalPolicy;
	/** False in an untrusted workspace: no command runs at all. */
	readonly commands: boolean;
	/** Absolute paths, and globs with access `none`. The most specific path wins; no match means `none`. */
	readonly filesystem: readonly PolicyEntry[];
	/**
	 * Folders for temporary files. A command finds one of its thread's own in their place and nothing of what is really
	 * there, but for what is granted by name below them.
	 */
	readonly temporary: readonly string[];
	/** The host's own file tools stay below these folders, and read there what `filesystem` grants. */
	readonly folders: readonly string[];
	/** What is closed although something above it is open, unless the user or the workspace names it. */
	readonly closed: ClosedPlaces;
	/** Secrets nobody granted anything about: closed in every mode, in an escalated run too. */
	readonly secrets: readonly string[];
	readonly network: Network;
	/** What may be written only with an approval of its own, below every writable root. */
	readonly protect: Protection;
	readonly environment: EnvironmentPolicy;
	readonly limits: CommandLimits;
	/** Commands that need no question under approval `untrusted`. */
	readonly rules: readonly CommandRule[];
	/** Why nothing contains commands on this machine, so that none runs. Absent where something does. */
	readonly noSandbox?: SandboxProblemCode;
	/** Set in plan mode: the policy is read-only, and no approval opens more. */
	readonly plan?: PlanMode;
}

/** What plan mode holds back: the mode and network that the settings ask for. */
export interface PlanMode {
	readonly mode: PermissionMode;
	readonly network: Network["kind"];
}

/** Home folders, and where machines hand secrets to programs. They are closed but for what work needs: programs and toolchains. */
export interface ClosedPlaces {
	readonly places: readonly string[];
	readonly except: readonly string[];
}

export type Network =
	| { readonly kind: "off" }
	| { readonly kind: "allow"; readonly hosts: readonly string[] }
	| { readonly kind: "on" };

export interface Protection {
	/** Names of files and folders directly below a writable root; `*` stands for any characters. */
	readonly names: readonly string[];
	/** Absolute paths, such as the real Git directory of a worktree. */
	readonly paths: readonly string[];
	/** Writable roots below which no name is protected: folders for temporary files, where nothing is anybody's configuration. */
	readonly free: readonly string[];
}

export interface CommandLimits {
	readonly timeoutMs: number;
	readonly processes: number;
	/** Bytes of output kept in memory, half from the beginning and half from the end. */
	readonly outputBytes: number;
	/** Of all its processes together; `half` of what the machine has. 0 here and below: as much as there is. */
	readonly memoryBytes: number | "half";
	/** Of one file that it writes. */
	readonly fileBytes: number;
	/** That the file systems it may write to may have less room than at its start. */
	readonly diskBytes: number;
}

/** What a tool needs before it is offered at all. `sight`: something to read, and a model that reads images. */
export type ToolNeed = "none" | "read" | "sight" | "edit" | "command";

/** What a tool call would touch, declared before it touches it. */
export type Access =
	| { readonly kind: "none" }
	/** `resolved` is where it lies, `via` are the names that lead there through links. */
	| { readonly kind: "read"; readonly path: string; readonly resolved: string; readonly via: readonly string[] }
	| { readonly kind: "edit"; readonly targets: readonly EditTarget[] }
	| {
			readonly kind: "command";
			readonly words: readonly string[] | undefined;
			readonly escalated: boolean;
			/** The user has typed it; to ask them whether to run it would be one question too many. */
			readonly typed?: true;
			/** The Git directory that it would write to, in the sandbox and only with a yes. */
			readonly repository?: string;
			/** What it is seen to delete beforehand. */
			readonly deletes?: Deletion;
			/** Closed places that it would read; they are asked about first. */
			readonly reads?: readonly ClosedRead[];
	  }
	| { readonly kind: "closedRead"; readonly places: readonly ClosedRead[] }
	/** Text for a command that runs already: where it was allowed to run, and with which rights. */
	| { readonly kind: "input"; readonly processId: string; readonly escalated: boolean; readonly rights: Policy }
	| { readonly kind: "network"; readonly host: string; readonly port: number };

/** A place that commands cannot read, where it lies and as people write it. */
export interface ClosedRead {
	readonly path: string;
	readonly shown: string;
}

/** One file an edit would write, create, replace or remove: its path as written and where it really lies. */
export interface EditTarget {
	readonly path: string;
	readonly resolved: string;
	/** The file exists and the edit is not based on what is in it. */
	readonly overwrites: boolean;
	/** The file would be gone. */
	readonly deletes?: boolean;
	/** The names that lead there through links, none when the path is where it lies. */
	readonly via?: readonly string[];
}

/** What a command would delete, counted before it runs. */
export interface Deletion {
	/** Where the files really lie. */
	readonly targets: readonly string[];
	/** How many there are at most; at least so many when there were too many to count. */
	readonly files: number;
	readonly isWhole: boolean;
}

/** `reason` is one sentence: why it may run without a question, why the user is asked, or why it is refused. */
export type Verdict =
	/** `rule`: the saved one that allows it. */
	| { readonly kind: "allow"; readonly reason: string; readonly rule?: CommandRule }
	| { readonly kind: "ask"; readonly reason: string }
	| { readonly kind: "deny"; readonly reason: string };

/** One name for a policy value: equal digests mean that words, verdicts and sandbox come from the same value. */
export function digestPolicy(policy: Policy): string {
	return digestValue(policy);
}

/** A digest that does not depend on the order of keys. All 256 bits: nobody can prepare two values that share one. */
export function digestValue(value: unknown): string {
	return createHash("sha256")
		.update(JSON.stringify(sortKeys(value)))
		.digest("hex");
}

function sortKeys(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sortKeys);
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(entries.map(([key, part]) => [key, sortKeys(part)]));
}
