/** How the panel is to behave: the settings `vitrine.chat`. */
export interface ChatSettings {
	/** Which keys send: Enter, with Ctrl or Cmd once there are several lines, or always with it. */
	readonly enterBehavior: "enter" | "cmdIfMultiline" | "cmdAlways";
	/** Where a message goes that is sent while a turn runs; with Ctrl or Cmd it goes the other way. */
	readonly whileRunning: "queue" | "steer";
	/** When steps become one line: once their turn has ended, as soon as they are done, or not at all. */
	readonly foldSteps: "auto" | "always" | "never";
	readonly timestamps: boolean;
	readonly showCost: boolean;
	readonly showCacheMeter: boolean;
}

/** What the next turn of the thread will be bound to, as the host says it. */
export interface NextTurn {
	/** What it may do: the mode, and a few words. */
	readonly mode: string;
	readonly name: string;
	readonly model: string;
	readonly effort?: string;
	readonly cwd?: string;
	/** False for a folder that this window does not have open. */
	readonly isFolderOpen: boolean;
	readonly plans: boolean;
	/** Whether any command could run. */
	readonly commands: boolean;
	/** What the settings say now and the thread has not taken, in a few words; absent when there is nothing. */
	readonly offered?: string;
}

/** Everything about the panel that is not the thread. */
export interface PanelState {
	readonly host:
		| { readonly state: "idle" | "starting" | "ready" }
		| { readonly state: "stopped"; readonly reason: string };
	readonly trusted: boolean;
	/** Names of the workspace folders; empty when none is open. */
	readonly folders: readonly string[];
	/** What the host cannot do on this machine and what helps, such as a sandbox that is missing. */
	readonly limits?: readonly string[];
	/** Why files cannot be read although a window is open, such as a virtual workspace. */
	readonly folderProblem?: string;
	readonly model: {
		readonly provider: "demo" | "openai" | "compatible" | "editor";
		/** What to call it in the panel, such as "Demo model" or "gpt-5.1". */
		readonly label: string;
		/** A key or name is missing, so a turn would fail. */
		readonly incomplete: boolean;
	};
	readonly chat: ChatSettings;
	/** What the next turn will be bound to; absent until the host has said so. */
	readonly next?: NextTurn;
	/** The thread of this folder to go on with, while none is shown. */
	readonly latest?: { readonly threadId: string; readonly title: string; readonly at: number };
	/** When the policy was last tried on the sandbox and held; absent before. */
	readonly probedAt?: number;
	/** Changes of the agent's in this thread that nobody has judged; absent when there are none. */
	readonly changes?: {
		readonly files: number;
		readonly hunks: number;
		/** Those of the files that run with the user's own build or tests. */
		readonly runWithBuild: readonly string[];
	};
}
