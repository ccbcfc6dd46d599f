import * as z from "zod";
import { ApprovalDecision } from "../agent-host/protocol/approval/approval.ts";
import { QuestionChoice } from "../agent-host/protocol/approval/question.ts";
import type { PublishedEvent } from "../agent-host/protocol/thread/events.ts";
import type { GrowingKind } from "../agent-host/protocol/thread/item.ts";
import { MAX_SHELL_CHARS } from "../agent-host/protocol/thread/turn.ts";
import type { InspectorState } from "./inspector-wire.ts";
import type { Attachable, EditorChip, Mention } from "./wire/attachable.ts";
import {
	MAX_DROPPED_CHARS,
	MAX_DROPPED_FILES,
	MAX_FOCUS_CHARS,
	MAX_IMAGE_BYTES,
	MAX_IMAGES,
	MAX_NOTE_CHARS,
	MAX_PROMPT_CHARS,
	MAX_QUERY_CHARS,
} from "./wire/limits.ts";
import type { PanelState } from "./wire/panel-state.ts";

export type { Attachable, AttachableKind, EditorChip, Mention } from "./wire/attachable.ts";
export type { ChatSettings, NextTurn, PanelState } from "./wire/panel-state.ts";

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
/** Base64 takes four characters for three bytes. */
const MAX_IMAGE_CHARS = Math.ceil(MAX_IMAGE_BYTES / 3) * 4;

const MAX_KEY_CHARS = 5_000;
const MAX_ATTACHED = 50;
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
		text: z.string().max(MAX_PROMPT_CHARS),
		...along,
		stop: z.literal(true).optional(),
	}),
	/** Says something to that turn while it runs; answered with `submitted` too. */
	z.object({
		type: z.literal("steer"),
		id: MessageName,
		turnId: TurnName,
		text: z.string().max(MAX_PROMPT_CHARS),
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
	z.object({ type: z.literal("attachFiles"), uris: z.array(z.string().max(4_096)).min(1).max(MAX_DROPPED_FILES) }),
	/** A text that was dropped or pasted as a file without a path; comes back with `compose`. */
	z.object({
		type: z.literal("attachText"),
		name: z.string().min(1).max(MAX_FILE_NAME_CHARS),
		text: z.string().max(MAX_DROPPED_CHARS),
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
	z.object({ type: z.literal("showContextSent"), turnId: TurnName }),
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
