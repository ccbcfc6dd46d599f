import type { Policy } from "../permissions/policy/policy.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type {
	BudgetSettings,
	CollaborationMode,
	CompactionSettings,
	ModelSettings,
	Personality,
	Settings,
} from "../protocol/settings/settings.ts";
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

export interface Identity {
	readonly threadId: ThreadId;
	readonly turnId: TurnId;
	/** How the thread came to be. */
	readonly source: ThreadSource;
	readonly provider: ModelSettings["provider"];
	readonly wire: ModelSettings["wire"];
	readonly model: string;
	/** From the table of models, or the model's name; used as a trace label. */
	readonly family: string;
	/** The only origin this turn's requests go to; absent for models without a network. */
	readonly baseUrl?: string;
	readonly auth: ModelSettings["auth"];
	readonly request: Pick<ModelSettings, "reasoningEffort" | "reasoningSummary" | "serviceTier" | "verbosity">;
	readonly abilities: ModelAbilities;
	readonly retry: Settings["retry"];
	readonly budgets: Budgets;
	/** How we know the window size. */
	readonly windowSource: WindowSource;
	readonly compaction: CompactionSettings;
	readonly limits: BudgetSettings;
	/** Prices per model from the user's settings. */
	readonly prices: ModelSettings["prices"];
	readonly surface: { readonly name: string; readonly version: string };
}

export type ThreadSource = "user" | "fork" | "import";

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
	readonly excerpts: readonly { readonly title: string; readonly text: string }[];
}

export interface Instructions {
	/** Frozen per thread, so that the cached prefix of every request stays the same. */
	readonly base: string;
	/** Custom instructions from the user's settings. */
	readonly developer: string;
	/** The user's file and the AGENTS.md chain, outermost first. */
	readonly files: readonly InstructionFile[];
	readonly compactPrompt: string;
	readonly outputSchema?: Readonly<Record<string, unknown>>;
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
	readonly skills: readonly Offer[];
	readonly plugins: readonly Offer[];
	/** Connected servers and what they offer. */
	readonly apps: readonly Offer[];
	/** Tools of MCP servers, as they describe them. */
	readonly serverTools: readonly ServerTool[];
}

/** A tool of an MCP server. */
export interface ServerTool {
	/** For the model: the names of server and tool in one. */
	readonly name: string;
	readonly server: string;
	readonly tool: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	/** Identifies the server's settings and everything it says about the tool. */
	readonly digest: string;
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
}

export interface Telemetry {
	/** 32 hexadecimal digits. */
	readonly traceId: string;
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
