import { createHash } from "node:crypto";
import type { Said } from "../../protocol/say.ts";
import type {
	ApprovalPolicy,
	CommandRule,
	EnvironmentPolicy,
	PermissionMode,
	PolicyEntry,
	SandboxProblemCode,
	ServerToolRule,
} from "../../protocol/settings/policy-settings.ts";

/**
 * What a turn may touch. The text for the model, the text for the user, the verdict on a call and the sandbox's
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
	 * Folders for temporary files. In their place a command sees its thread's private folder, and of the real content
	 * only what is granted by name.
	 */
	readonly temporary: readonly string[];
	/** The host's own file tools stay below these folders, and read there what `filesystem` grants. */
	readonly folders: readonly string[];
	/** Closed places inside open ones, unless the user or the workspace names them. */
	readonly closed: ClosedPlaces;
	/** Secrets without an explicit grant: closed in every mode, also outside the sandbox. */
	readonly secrets: readonly string[];
	readonly network: Network;
	/** Below every writable root, writing to these needs a separate approval. */
	readonly protect: Protection;
	readonly environment: EnvironmentPolicy;
	readonly limits: CommandLimits;
	/** Commands that need no approval, and commands that never run. Folders are absolute. */
	readonly rules: readonly CommandRule[];
	/** Tools of MCP servers that need no approval; absent if there are none. */
	readonly serverTools?: readonly ServerToolRule[];
	/** Why there is no sandbox on this machine, so that every command needs approval. Absent if there is one. */
	readonly noSandbox?: SandboxProblemCode;
	/** Set in plan and review mode: the policy is read-only, and no approval opens more. */
	readonly plan?: PlanMode;
	/** What the machine's administrator limits; no approval opens more. Absent if nothing is limited. */
	readonly managed?: readonly ManagedPolicy[];
}

/** One file of limits, as far as approvals have to respect it. */
export interface ManagedPolicy {
	readonly file: string;
	/** The only hosts that commands may reach. */
	readonly hosts?: readonly string[];
	/** No command runs outside a sandbox. */
	readonly sandbox?: "always";
}

/** The mode and network from the settings that plan or review mode suspends. */
export interface PlanMode {
	readonly mode: PermissionMode;
	readonly network: Network["kind"];
	/** Set if it is a review. */
	readonly review?: true;
}

/** Home folders, and places where machines pass secrets to programs. Closed except for programs and toolchains. */
export interface ClosedPlaces {
	readonly places: readonly string[];
	readonly except: readonly string[];
}

export type Network =
	| { readonly kind: "off" }
	| { readonly kind: "allow"; readonly hosts: readonly string[] }
	| { readonly kind: "on" };

export interface Protection {
	/** Names directly below a writable root; `*` stands for any characters. */
	readonly names: readonly string[];
	/** Absolute paths, such as the real Git directory of a worktree. */
	readonly paths: readonly string[];
	/** Writable roots without protected names: folders for temporary files, which contain no configuration. */
	readonly free: readonly string[];
}

export interface CommandLimits {
	readonly timeoutMs: number;
	readonly processes: number;
	/** Bytes of output kept in memory, half from the beginning and half from the end. */
	readonly outputBytes: number;
	/** Limit for all its processes together; `half` of the machine's memory. 0 means no limit, here and below. */
	readonly memoryBytes: number | "half";
	/** Limit for one file that it writes. */
	readonly fileBytes: number;
	/** How much the free space of the file systems it may write to may shrink. */
	readonly diskBytes: number;
}

/**
 * What a tool needs to be offered. `sight`: something to read, and a model that reads images. `agents`: a thread that may
 * start sub-agents. `language`, `rename` and `task`: the same as `read`, `edit` and `command`, and an editor that can be
 * asked.
 */
export type ToolNeed =
	| "none"
	| "read"
	| "sight"
	| "edit"
	| "command"
	| "user"
	| "web"
	| "agents"
	| "language"
	| "rename"
	| "task"
	| "review"
	| "goal";

/** What a tool call would touch, declared before it does. */
export type Access =
	| { readonly kind: "none" }
	/** `resolved` is the real path, `via` are the link paths that lead there. */
	| { readonly kind: "read"; readonly path: string; readonly resolved: string; readonly via: readonly string[] }
	| { readonly kind: "edit"; readonly targets: readonly EditTarget[] }
	| {
			readonly kind: "command";
			/** A script for a shell, or words that are run without one. */
			readonly command: string | readonly string[];
			/** Absolute, with all links resolved. */
			readonly cwd: string;
			/** Where folders that it changes to really are, if links lead there. */
			readonly leads?: ReadonlyMap<string, string>;
			/** Exactly what would be started; only needed where no sandbox contains it. */
			readonly argv?: readonly string[];
			readonly escalated: boolean;
			/** The user typed it, so in the sandbox it needs no approval. */
			readonly typed?: true;
			/** The Git directory that it would write to, in the sandbox and only after approval. */
			readonly repository?: string;
			/** Deletions that are visible before it runs. */
			readonly deletes?: Deletion;
			/** Closed places that it would read; they need approval first. */
			readonly reads?: readonly ClosedRead[];
	  }
	| { readonly kind: "closedRead"; readonly places: readonly ClosedRead[] }
	/** Input for a running command: where it was allowed to run, and with which rights. */
	| { readonly kind: "input"; readonly processId: string; readonly escalated: boolean; readonly rights: Policy }
	| { readonly kind: "network"; readonly host: string; readonly port: number }
	/** A tool of an MCP server, which may do anything. */
	| {
			readonly kind: "server";
			readonly server: string;
			readonly tool: string;
			readonly definition: string;
			/** The server is a program outside the sandbox. */
			readonly uncontained: boolean;
	  }
	/** A tool of the editor, which runs outside the sandbox. */
	| { readonly kind: "editorTool" };

/** A place that commands cannot read: its real path, and as people write it. */
export interface ClosedRead {
	readonly path: string;
	readonly shown: string;
}

/** One file that an edit would write, create, replace or remove: its path as written and its real path. */
export interface EditTarget {
	readonly path: string;
	readonly resolved: string;
	/** The file exists and the edit is not based on its content. */
	readonly overwrites: boolean;
	/** The edit removes the file. */
	readonly deletes?: boolean;
	/** The link paths that lead there; empty if the path is the real one. */
	readonly via?: readonly string[];
}

/** The files that a command would delete, counted before it runs. */
export interface Deletion {
	/** Real paths of the files. */
	readonly targets: readonly string[];
	/** Upper bound of their number; a lower bound if there were too many to count. */
	readonly files: number;
	readonly isWhole: boolean;
}

/** `reason` is one sentence: why it may run without approval, why the user is asked, or why it is refused. */
export type Verdict =
	/** `rules`: the saved ones that allow or deny it. `serverTool`: the same for a tool of a server. */
	| {
			readonly kind: "allow";
			readonly reason: Said;
			readonly rules?: readonly CommandRule[];
			readonly serverTool?: ServerToolRule;
	  }
	| { readonly kind: "ask"; readonly reason: Said }
	| { readonly kind: "deny"; readonly reason: Said; readonly rules?: readonly CommandRule[] };

/** Identifies a policy value: equal digests mean that texts, verdicts and sandbox come from the same value. */
export function digestPolicy(policy: Policy): string {
	const known = digests.get(policy);
	if (known !== undefined) return known;
	const digest = digestValue(policy);
	// A sealed one is frozen at every depth; another one could change.
	if (Object.isFrozen(policy)) digests.set(policy, digest);
	return digest;
}

const digests = new WeakMap<Policy, string>();

/**
 * A digest that does not depend on key order. All 256 bits, so that two values with the same digest cannot be
 * constructed.
 */
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
