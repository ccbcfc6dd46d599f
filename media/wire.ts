import * as z from "zod";
import { ApprovalDecision } from "../agent-host/protocol/approval/approval.ts";
import { QuestionChoice } from "../agent-host/protocol/approval/question.ts";
import type { PublishedEvent } from "../agent-host/protocol/thread/events.ts";
import { MAX_IMAGE_BYTES, MAX_IMAGES } from "../agent-host/protocol/thread/image.ts";
import type { GrowingKind } from "../agent-host/protocol/thread/item.ts";
import { MAX_INPUT_CHARS, MAX_SHELL_CHARS } from "../agent-host/protocol/thread/turn.ts";
import type { InspectorState } from "./inspector-wire.ts";

/** Commands of the extension that a button in the page may run. Nothing else can be reached from there. */
export const PANEL_COMMANDS = [
	"setUpModel",
	"manageTrust",
	"openFolder",
	"showLog",
	"restartHost",
	"newThread",
	"renameThread",
	"openSettings",
	"changeFolder",
	"changeModel",
	"changePermissions",
	"showContext",
	"compact",
	"showPolicy",
	"changeEffort",
	"forkThread",
	"exportThread",
	"raiseLimit",
	"raiseToNextLimit",
	"reviewChanges",
	"keepAllChanges",
	"rejectAllChanges",
	"showStatus",
	"doctor",
	"runProbe",
	"reviewUncommitted",
	"restoreCheckpoint",
	"togglePlan",
	"useSettings",
	"keepSettings",
] as const;
export type PanelCommand = (typeof PANEL_COMMANDS)[number];

/** More than any block of a thread holds. */
const MAX_COPIED_CHARS = 16_000_000;
/** What a user may write to the model beside a refusal. */
const MAX_NOTE_CHARS = 4_000;
/** As much as the host takes. */
const MAX_FOCUS_CHARS = 4_000;
/** Base64 takes four characters for three bytes. */
const MAX_IMAGE_CHARS = Math.ceil(MAX_IMAGE_BYTES / 3) * 4;

const MAX_KEY_CHARS = 5_000;
const MAX_ATTACHED = 50;
const MAX_QUERY_CHARS = 200;
/** Files that are dropped at once. */
export const MAX_GIVEN_FILES = 20;
/** As much as one chip stands for. */
export const MAX_GIVEN_CHARS = 20_000;
const MAX_FILE_NAME_CHARS = 255;

const TurnName = z.string().max(64);
const MessageName = z.string().max(64);

/** What goes with a message. */
const along = {
	/** As base64. */
	images: z.array(z.string().max(MAX_IMAGE_CHARS)).max(MAX_IMAGES).optional(),
	/** What goes along, by the keys under which the extension offered it. */
	attached: z.array(z.string().max(MAX_KEY_CHARS)).max(MAX_ATTACHED).optional(),
};

/** What the page may ask of the extension. The page is untrusted: the extension parses every message with this. */
export const FromWebview = z.discriminatedUnion("type", [
	/** The page is loaded and knows nothing yet. */
	z.object({ type: z.literal("ready") }),
	/** `id` comes back with `submitted`, so the composer knows which text was taken. `stop`: the running turn is stopped first. */
	z.object({
		type: z.literal("submit"),
		id: MessageName,
		text: z.string().max(MAX_INPUT_CHARS),
		...along,
		stop: z.literal(true).optional(),
	}),
	/** Says something to that turn while it runs; answered with `submitted` too. */
	z.object({
		type: z.literal("steer"),
		id: MessageName,
		turnId: TurnName,
		text: z.string().max(MAX_INPUT_CHARS),
		...along,
	}),
	/** Runs a command of the user's own in the sandbox; answered with `submitted` too. */
	z.object({
		type: z.literal("runShell"),
		id: MessageName,
		command: z.string().min(1).max(MAX_SHELL_CHARS),
		stop: z.literal(true).optional(),
	}),
	/** Asks what a mention that begins with these letters could be about. */
	z.object({ type: z.literal("findMentions"), id: MessageName, query: z.string().max(MAX_QUERY_CHARS) }),
	/** Files that were dropped or pasted, by their addresses; those in the workspace come back with `compose`. */
	z.object({ type: z.literal("attachFiles"), uris: z.array(z.string().max(4_096)).min(1).max(MAX_GIVEN_FILES) }),
	/** A text that was dropped or pasted as a file without a path; comes back with `compose`. */
	z.object({
		type: z.literal("attachText"),
		name: z.string().min(1).max(MAX_FILE_NAME_CHARS),
		text: z.string().max(MAX_GIVEN_CHARS),
	}),
	/** What that turn took along goes with the next prompt, too; comes back with `compose`. */
	z.object({ type: z.literal("attachAgain"), turnId: TurnName }),
	/** Asks for an image of the thread shown, by the name its event gave. */
	z.object({ type: z.literal("readImage"), imageId: z.string().max(64) }),
	z.object({ type: z.literal("stop") }),
	/** Sends the prompt of that turn again. `stop`: it still runs, and is stopped first. */
	z.object({ type: z.literal("retry"), turnId: TurnName, stop: z.literal(true).optional() }),
	/** An answer to one question, about exactly what was shown; the rule that `allowRule` writes is the one offered. */
	z.object({
		type: z.literal("answerApproval"),
		approvalId: z.string().max(128),
		digest: z.string().max(256),
		decision: ApprovalDecision,
		note: z.string().max(MAX_NOTE_CHARS).optional(),
	}),
	/** An answer to one question about how the turn should go on. */
	z.object({ type: z.literal("answerQuestion"), questionId: z.string().max(128), choice: QuestionChoice }),
	/** Opens the whole diff of a patch that waits for an approval. */
	z.object({ type: z.literal("showDiff"), approvalId: z.string().max(128) }),
	/** Opens what the model was told in that turn beside what it had been told before. */
	z.object({ type: z.literal("showTold"), turnId: TurnName }),
	/** Takes that turn and all after it out of the conversation. */
	z.object({ type: z.literal("rollBack"), turnId: TurnName }),
	/** Brings files, the conversation or both back to what they were before that turn; the extension asks which. */
	z.object({ type: z.literal("restore"), turnId: TurnName }),
	/** Brings the files back that were changed since that turn began. */
	z.object({ type: z.literal("undoFiles"), turnId: TurnName }),
	/** Replaces earlier turns by a summary, which cares most about the focus if there is one. */
	z.object({
		type: z.literal("compact"),
		focus: z.string().max(MAX_FOCUS_CHARS).optional(),
		/** Turns after this one stay as they are. */
		throughTurnId: TurnName.optional(),
	}),
	/** Keeps the prompt of that turn word for word through every compaction, or no longer. */
	z.object({ type: z.literal("pin"), turnId: TurnName, pinned: z.boolean() }),
	z.object({ type: z.literal("undoCompaction") }),
	/** Goes on in a new thread that ends with that turn. */
	z.object({ type: z.literal("fork"), turnId: TurnName }),
	/** Shows another thread, such as the latest one of this folder. */
	z.object({ type: z.literal("openThread"), threadId: z.string().max(64) }),
	/** A hole was found in the numbered events: send the thread again from the start. */
	z.object({ type: z.literal("resync") }),
	z.object({ type: z.literal("run"), command: z.enum(PANEL_COMMANDS) }),
	/** A link in the transcript was clicked; the extension refuses all but http and https. */
	z.object({ type: z.literal("openLink"), url: z.string().max(4_096) }),
	/** A file that an answer names; the extension opens only what lies in the workspace. */
	z.object({ type: z.literal("openFile"), path: z.string().max(4_096), line: z.int().min(1).optional() }),
	/** Asks what the next request holds, for the meter; answered with `context`. */
	z.object({ type: z.literal("readContext") }),
	/** Shows what that command has written, and still writes, in a terminal of the editor's. */
	z.object({ type: z.literal("showInTerminal"), itemId: z.string().max(64) }),
	z.object({ type: z.literal("copy"), text: z.string().max(MAX_COPIED_CHARS) }),
	/** Puts code where the cursor is in the editor. */
	z.object({ type: z.literal("insertCode"), text: z.string().max(MAX_COPIED_CHARS) }),
	/** Makes this the unsaved text of a file: of the one named, or of the one in the editor. */
	z.object({
		type: z.literal("applyCode"),
		text: z.string().max(MAX_COPIED_CHARS),
		path: z.string().min(1).max(4_096).optional(),
	}),
]);
export type FromWebview = z.infer<typeof FromWebview>;

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

/** Everything about the panel that is not the thread. */
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

export type AttachableKind =
	| "activeFile"
	| "selection"
	| "openFiles"
	| "problems"
	| "file"
	| "folder"
	| "symbol"
	| "changes"
	| "terminal"
	| "thread"
	| "text";

/** Something that can go with a prompt. The page knows its name only; the extension reads it when it is sent. */
export interface Attachable {
	readonly key: string;
	readonly kind: AttachableKind;
	/** What the chip says, and what of it is sent: `retry.ts:40-62`. */
	readonly label: string;
	readonly title: string;
}

/** What the editor shows now. It goes along unless the reader switches its kind off. */
export interface EditorChip extends Attachable {
	readonly isOn: boolean;
}

/** What a mention can be about. */
export interface Mention extends Attachable {
	/** What stands after the @ in the text. */
	readonly name: string;
	readonly detail: string;
}

/** Text of an item that is being written right now, which no durable event holds yet. */
export interface LiveText {
	readonly turnId: string;
	readonly itemId: string;
	readonly itemKind: GrowingKind;
	readonly text: string;
}

/** What the extension tells the page. */
export type ToWebview =
	| { readonly type: "panel"; readonly panel: PanelState }
	/** Forget what is shown and show this thread. `threadId` is null for a new thread with no turn yet. */
	| { readonly type: "thread"; readonly threadId: string | null; readonly title: string }
	/** Events of the thread shown, in order; may repeat what was sent before. `loading` is false on the last page of a load. */
	| {
			readonly type: "events";
			readonly threadId: string;
			readonly events: readonly PublishedEvent[];
			readonly live?: readonly LiveText[];
			readonly loading: boolean;
	  }
	/** Answer to `submit`, `steer` and `runShell`: taken, or the reason why not, in which case the text stays in the composer. */
	| { readonly type: "submitted"; readonly id: string; readonly problem?: string }
	/** Answer to `readImage`: its `data:` address, empty when it is missing or damaged. */
	| { readonly type: "image"; readonly imageId: string; readonly url: string }
	| { readonly type: "context"; readonly context: InspectorState }
	/** A sentence that belongs to no turn, shown above the composer until dismissed. */
	| { readonly type: "problem"; readonly message: string; readonly action?: PanelCommand }
	| { readonly type: "focusInput" }
	/** What of the editor can go with the next prompt, in the order of the chips. */
	| { readonly type: "editorChips"; readonly chips: readonly EditorChip[] }
	/** Answer to `findMentions`, best first; more may follow under the same id until `isWhole`. */
	| { readonly type: "mentions"; readonly id: string; readonly mentions: readonly Mention[]; readonly isWhole: boolean }
	/** A command puts these into the composer; with `send` it is sent too, if nothing else was being written. */
	| {
			readonly type: "compose";
			readonly text: string;
			readonly attach: readonly Attachable[];
			readonly how: "send" | "write";
	  };
