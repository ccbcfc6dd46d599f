import type { Policy } from "../permissions/policy/policy.ts";
import type { AgentHeader } from "../protocol/agent.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type {
	BudgetSettings,
	CollaborationMode,
	CompactionSettings,
	ModelSettings,
	Personality,
	Settings,
} from "../protocol/settings/settings.ts";
import type { Source } from "../protocol/settings/source-settings.ts";
import type { TokenCount, WindowSource } from "../protocol/thread/events.ts";
import type { Budgets } from "./window.ts";

/** Everything a turn may depend on, sealed at its start. Each group may read only the ones above it. */
export interface TurnEnvelope {
	readonly identity: Identity;
	readonly workspace: Workspace;
	readonly instructions: Instructions;
	readonly policy: PolicyInForce;
	readonly capabilities: Capabilities;
	readonly modes: Modes;
	readonly telemetry: Telemetry;
}

/** A model, where it is asked, and how. */
export interface ModelIdentity {
	readonly provider: ModelSettings["provider"];
	readonly wire: ModelSettings["wire"];
	readonly model: string;
	/** From the table of models, or the model's name; used as a trace label. */
	readonly family: string;
	/** The only origin this turn's requests go to; absent for models without a network. */
	readonly baseUrl?: string;
	readonly auth: ModelSettings["auth"];
	/** Headers that the user has configured for the server; a key in them is a placeholder. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly request: Pick<ModelSettings, "reasoningEffort" | "reasoningSummary" | "serviceTier" | "verbosity">;
	readonly abilities: ModelAbilities;
	readonly budgets: Budgets;
	/** How we know the window size. */
	readonly windowSource: WindowSource;
	/** Prices per model from the user's settings. */
	readonly prices: ModelSettings["prices"];
}

export interface Identity extends ModelIdentity {
	readonly threadId: ThreadId;
	readonly turnId: TurnId;
	/** How the thread came to be. */
	readonly source: ThreadSource;
	/** Absent in a thread of the user. */
	readonly agent?: AgentHeader;
	readonly retry: Settings["retry"];
	readonly compaction: CompactionSettings;
	/** The same for a model at another provider that writes the summaries. */
	readonly summarizer?: Omit<Identity, "summarizer">;
	readonly limits: BudgetSettings;
	readonly surface: { readonly name: string; readonly version: string };
}

export type ThreadSource = "user" | "fork" | "import" | "agent";

export interface ModelAbilities {
	readonly images: boolean;
}

export interface Workspace {
	/** Where the folders are, relative to the editor's window. */
	readonly environment: "local" | "remote" | "container";
	readonly cwd?: string;
	readonly roots: readonly string[];
	readonly shell: string;
	readonly machine: string;
	readonly date: string;
	readonly timeZone: string;
	/** The language of the editor, unless it is English. */
	readonly language?: string;
	readonly trusted: boolean;
	/** The checked-out branch, if the working folder is in a Git repository. */
	readonly branch?: string;
	/** Editor context that the user attached to this turn. */
	readonly editor?: EditorState;
}

/** Editor context that the user attached to a turn. Paths are as the user sees them. */
export interface EditorState {
	readonly activeFile?: string;
	readonly selection?: { readonly path: string; readonly from: number; readonly to: number; readonly text: string };
	readonly openFiles: readonly string[];
	readonly unsavedFiles: readonly string[];
	readonly problems: readonly { readonly path: string; readonly line: number; readonly message: string }[];
	/** Files and folders that the user named. */
	readonly files: readonly string[];
	/** Other texts that the user attached, with their titles. */
	readonly excerpts: readonly {
		readonly title: string;
		readonly text: string;
		/** The MCP server that wrote it. */
		readonly server?: string | undefined;
	}[];
}

export interface Instructions {
	/** Frozen per thread, so that the cached prefix of every request stays the same. */
	readonly base: string;
	/** Custom instructions from the user's settings. */
	readonly developer: string;
	/** The user's file and the AGENTS.md chain, outermost first. */
	readonly files: readonly InstructionFile[];
	/** Those of folders below the working folder whose files were worked on. Absent in threads of older releases. */
	readonly nested: NestedInstructions;
	/** Names that are instructions in folders without an AGENTS.md. */
	readonly fallbacks: readonly string[];
	readonly compactPrompt: string;
	readonly outputSchema?: Readonly<Record<string, unknown>>;
}

export interface NestedInstructions {
	/** Folders that have such a file, in the order in which they were first worked in. */
	readonly folders: readonly string[];
	readonly files: readonly InstructionFile[];
}

export interface InstructionFile {
	readonly path: string;
	readonly origin: "user" | "workspace";
	/** Changes whenever the text does. */
	readonly stamp: string;
	readonly text: string;
	/** The reason why `text` does not contain the whole file, if so. */
	readonly cut?: string;
}

export interface PolicyInForce {
	readonly value: Policy;
	/**
	 * Identifies the value: texts, verdicts and sandbox arguments with the same digest were made from the same policy.
	 */
	readonly digest: string;
	/** The sandbox on this machine; "none" means that no command runs. */
	readonly sandbox: "bubblewrap" | "seatbelt" | "none";
}

export interface Capabilities {
	/** Names of the tools offered; a tool the policy forbids is absent. */
	readonly tools: readonly string[];
	/** Skills that may be used. */
	readonly skills: readonly SkillOffer[];
	readonly plugins: readonly Offer[];
	/** Roles of sub-agents besides those that are built in. Absent in threads of older releases. */
	readonly agents: readonly AgentOffer[];
	/** Programs that run at moments of a turn. Absent in threads of older releases. */
	readonly hooks: readonly HookOffer[];
	/** Connected servers and what they offer. */
	readonly apps: readonly Offer[];
	/** Tools of MCP servers, as they describe them. */
	readonly serverTools: readonly ServerTool[];
	/** Prompts of MCP servers that the user can invoke. Absent in threads of older releases. */
	readonly serverPrompts: readonly ServerPrompt[];
	/** What the thread has switched off; all of the above is without it. Absent in threads of older releases. */
	readonly off: readonly Source[];
}

/** A prompt of an MCP server. */
export interface ServerPrompt {
	/** For the user: the names of server and prompt in one. */
	readonly name: string;
	readonly server: string;
	readonly prompt: string;
	readonly about: string;
	readonly takes: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
	/** Identifies the server's settings and everything it says about the prompt. */
	readonly digest: string;
}

/** What stands for the editor where tools have a server. No server can have this name. */
export const EDITOR_AS_SERVER = "the editor";

/** A tool of an MCP server, or of the editor. */
export interface ServerTool {
	/** For the model: the names of server and tool in one. */
	readonly name: string;
	readonly server: string;
	readonly tool: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	/** Identifies the server's settings and everything it says about the tool. */
	readonly digest: string;
	/** Its server is a program outside the sandbox. */
	readonly uncontained?: true;
}

/** A skill that may be used as long as it is exactly this. */
export interface SkillOffer extends Offer {
	/** Its folder. */
	readonly path: string;
	/** Identifies everything in its folder. */
	readonly digest: string;
	readonly origin: "user" | "workspace";
	/** What to write after its name, in a few words. */
	readonly argumentHint: string;
	/** Who may invoke it. */
	readonly byModel: boolean;
	readonly byUser: boolean;
}

/** A role of sub-agents, by the file that defines it. */
export interface AgentOffer extends Offer {
	readonly path: string;
	/** Identifies all of the file. */
	readonly digest: string;
	readonly origin: "user" | "workspace";
}

export type HookEvent =
	| "SessionStart"
	| "UserPromptSubmit"
	| "PreToolUse"
	| "PermissionRequest"
	| "PostToolUse"
	| "PreCompact"
	| "PostCompact"
	| "Stop"
	| "SubagentStart"
	| "SubagentStop"
	| "SessionEnd";

/** A hook that runs as long as its file and its scripts are exactly this. */
export interface HookOffer {
	readonly event: HookEvent;
	readonly matcher: string;
	/** For a shell. */
	readonly command: string;
	readonly timeoutMs: number;
	/** If it fails, what it would have judged is blocked. */
	readonly required: boolean;
	/** The file that defines it. */
	readonly path: string;
	readonly origin: "user" | "workspace";
	/** Identifies its file and every script that the file names. */
	readonly digest: string;
	/** The folder that it runs in. */
	readonly root: string;
	/** The plugin that it belongs to: its folder, and what identifies everything in it. */
	readonly plugin?: { readonly folder: string; readonly digest: string };
}

/** Something the model can invoke by name. */
export interface Offer {
	readonly name: string;
	readonly about: string;
}

export interface Modes {
	readonly collaboration: CollaborationMode;
	readonly personality: Personality;
	readonly realtime: boolean;
	/** The goal that the turn works for, if there is one. */
	readonly goal?: { readonly text: string; readonly check?: string | undefined; readonly turns: number };
}

export interface Telemetry {
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	/** Token usage of the thread before this turn. */
	readonly usageAtStart: TokenCount;
	/** Upper bound for the tokens of the fixed prefix that do not count as used. */
	readonly usageBaseline: number;
	/** Where the turn's trace is sent; empty means nowhere. */
	readonly endpoint: string;
	/** Whether the trace includes prompts and answers. */
	readonly content: boolean;
}
