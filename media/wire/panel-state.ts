/** The settings `vitrine.chat`. */
export interface ChatSettings {
	/** Which key sends: Enter; Ctrl or Cmd+Enter for several lines; or always Ctrl or Cmd+Enter. */
	readonly enterBehavior: "enter" | "cmdIfMultiline" | "cmdAlways";
	/** What sending does while a turn runs; with Ctrl or Cmd the other one. */
	readonly whileRunning: "queue" | "steer";
	/** When steps are folded into one line: when their turn has ended, as soon as they are done, or never. */
	readonly foldSteps: "auto" | "always" | "never";
	readonly timestamps: boolean;
	readonly showCost: boolean;
	readonly showCacheMeter: boolean;
}

/** A skill or command that people brought along, or a prompt of an MCP server. */
export interface PromptOffer {
	readonly name: string;
	readonly about: string;
	/** What to write after its name. */
	readonly argumentHint: string;
	readonly origin: "user" | "workspace" | "server";
}

/** What a thread's next turn will use, as the host reports it. */
export interface NextTurn {
	/** The thread that it is reported for; null for a new one. */
	readonly threadId: string | null;
	/** Permission mode and its display name. */
	readonly mode: string;
	readonly name: string;
	readonly model: string;
	/** Whether the model reads images, as far as the host knows. */
	readonly readsImages: boolean;
	readonly effort?: string;
	readonly cwd?: string;
	/** False if the folder is not open in this window. */
	readonly isFolderOpen: boolean;
	readonly plans: boolean;
	/** Answers are short enough to be read aloud, and what is sent meanwhile steers the turn. */
	readonly isLive: boolean;
	/** Whether commands can run at all. */
	readonly commands: boolean;
	/** Whether a sandbox keeps them to the policy. */
	readonly isContained: boolean;
	/** Tokens of its first request without the prompt, and how many the window takes. */
	readonly context: { readonly tokens: number; readonly effectiveWindow: number };
	/** Skills and commands that can be invoked with `/`. */
	readonly prompts: readonly PromptOffer[];
	/** Short description of settings that differ from the thread's; absent if there are none. */
	readonly offered?: string;
}

/** What the host cannot do on this machine. */
export interface HostLimit {
	readonly text: string;
	/** The one command, or part of a file, that fixes it. */
	readonly command?: string;
	/** Whether it can be checked again without a restart. */
	readonly canCheck: boolean;
}

/** State of the panel besides the thread. */
export interface PanelState {
	/** Names of findings that the user has dismissed in this workspace. */
	readonly dismissed?: readonly string[];
	readonly host:
		| { readonly state: "idle" | "starting" | "ready" }
		| { readonly state: "stopped"; readonly reason: string };
	readonly trusted: boolean;
	/** Names of the workspace folders; empty when none is open. */
	readonly folders: readonly string[];
	/** What the host cannot do on this machine and how to fix it, such as a missing sandbox. */
	readonly limits?: readonly HostLimit[];
	/** Why files cannot be read, such as a virtual workspace. */
	readonly folderProblem?: string;
	readonly model: {
		readonly provider: "demo" | "openai" | "anthropic" | "compatible" | "editor";
		/** Display name, such as "Demo model" or "gpt-5.1". */
		readonly label: string;
		/** A key or name is missing, so a turn would fail. */
		readonly incomplete: boolean;
	};
	readonly chat: ChatSettings;
	/** Settings of the next turn; absent until the host has reported them. */
	readonly next?: NextTurn;
	/** The latest thread of this folder, if no thread is open. */
	readonly latest?: { readonly threadId: string; readonly title: string; readonly at: number };
	/** When the policy probe last passed. */
	readonly probedAt?: number;
	/** The plan of this thread that waits for the user; absent if there is none. */
	readonly plan?: { readonly steps: number; readonly comments: number } | undefined;
	/** Pending changes of this thread; absent if there are none. */
	readonly changes?: {
		readonly files: number;
		readonly hunks: number;
		/** Files among them that the user's build or tests run. */
		readonly runWithBuild: readonly string[];
		/** The files; of very many, the first ones. */
		readonly list: readonly ChangedFile[];
	};
}

/** A file with pending changes. */
export interface ChangedFile {
	readonly path: string;
	/** Relative to its folder. */
	readonly name: string;
	readonly operation: "add" | "update" | "delete";
	/** Lines. */
	readonly added: number;
	readonly removed: number;
}
