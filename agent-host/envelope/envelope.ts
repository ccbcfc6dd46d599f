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
	/** As the table of models has it, or the model's own name; a label of traces. */
	readonly family: string;
	/** The only origin this turn's requests go to; absent for models without a network. */
	readonly baseUrl?: string;
	readonly auth: ModelSettings["auth"];
	readonly request: Pick<ModelSettings, "reasoningEffort" | "reasoningSummary" | "serviceTier" | "verbosity">;
	readonly abilities: ModelAbilities;
	readonly retry: Settings["retry"];
	readonly budgets: Budgets;
	/** How the window is known. */
	readonly windowSource: WindowSource;
	readonly compaction: CompactionSettings;
	readonly limits: BudgetSettings;
	/** What the user says that models cost. */
	readonly prices: ModelSettings["prices"];
	readonly surface: { readonly name: string; readonly version: string };
}

export type ThreadSource = "user" | "fork" | "import";

export interface ModelAbilities {
	readonly images: boolean;
}

export interface Workspace {
	/** Where the folders are, seen from the editor's window. */
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
	/** The branch that is checked out in the working folder, when it lies in a Git repository. */
	readonly branch?: string;
	/** What the user attached of the editor to this turn. */
	readonly editor?: EditorState;
}

/** What the user attached of the editor to a turn. Paths as the user sees them. */
export interface EditorState {
	readonly activeFile?: string;
	readonly selection?: { readonly path: string; readonly from: number; readonly to: number; readonly text: string };
	readonly openFiles: readonly string[];
	readonly unsavedFiles: readonly string[];
	readonly problems: readonly { readonly path: string; readonly line: number; readonly message: string }[];
	/** Files and folders that the user named. */
	readonly files: readonly string[];
	/** Other texts that the user chose, by what they are. */
	readonly excerpts: readonly { readonly title: string; readonly text: string }[];
}

export interface Instructions {
	/** Frozen per thread, so that the cached prefix of every request stays. */
	readonly base: string;
	/** The user's own standing text from the settings. */
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
	/** Why not all of the file is in `text`, when that is so. */
	readonly cut?: string;
}

export interface PolicyInForce {
	readonly value: Policy;
	/** One name for the value: words, verdicts and sandbox arguments that carry it were made from the same policy. */
	readonly digest: string;
	/** What contains commands on this machine; "none" means that no command runs. */
	readonly sandbox: "bubblewrap" | "seatbelt" | "none";
}

export interface Capabilities {
	/** Names of the tools offered; a tool the policy forbids is absent. */
	readonly tools: readonly string[];
	readonly skills: readonly Offer[];
	readonly plugins: readonly Offer[];
	/** Connected servers and what they offer. */
	readonly apps: readonly Offer[];
}

/** Something the model can call upon, by name. */
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
	/** What the thread had used before this turn. */
	readonly usageAtStart: TokenCount;
	/** Most tokens of the fixed prefix that do not count as used. */
	readonly usageBaseline: number;
	/** Where the turn's trace is sent; empty means nowhere. */
	readonly endpoint: string;
	/** What was said is part of the trace. */
	readonly content: boolean;
}
