import * as z from "zod";
import { ApprovalDecision, type ApprovalRequest } from "../agent-host/protocol/approval/approval.ts";
import { GivenAnswers, QuestionChoice, type QuestionRequest } from "../agent-host/protocol/approval/question.ts";
import {
	MAX_ASIDE_CHARS,
	MAX_FOCUS_CHARS,
	MAX_GOAL_CHARS,
	MAX_IMAGE_BYTES,
	MAX_IMAGES,
	MAX_NOTE_CHARS,
	MAX_PROMPT_CHARS,
	MAX_QUERY_CHARS,
	MAX_REMEMBERED_CHARS,
} from "../agent-host/protocol/limits.ts";
import type { PublishedEvent } from "../agent-host/protocol/thread/events.ts";
import type { GrowingKind } from "../agent-host/protocol/thread/item.ts";
import { MAX_SHELL_CHARS } from "../agent-host/protocol/thread/turn.ts";
import type { InspectorState } from "./inspector-wire.ts";
import type { Attachable, EditorChip, Mention } from "./wire/attachable.ts";
import { MAX_REF_CHARS } from "./wire/git-ref.ts";
import { MAX_DROPPED_CHARS, MAX_DROPPED_FILES } from "./wire/limits.ts";
import type { PanelState } from "./wire/panel-state.ts";

export type { Attachable, AttachableKind, EditorChip, Mention } from "./wire/attachable.ts";
export type { ChangedFile, ChatSettings, HostLimit, NextTurn, PanelState, PromptOffer } from "./wire/panel-state.ts";

/** Commands that a button of the page may run. The page can reach no others. */
export const PANEL_COMMANDS = [
	"setUpModel",
	"manageTrust",
	"openFolder",
	"showLog",
	"restartHost",
	"checkSandbox",
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
	"reviewBranch",
	"reviewCommit",
	"restoreCheckpoint",
	"undoRestore",
	"togglePlan",
	"toggleLive",
	"openPlan",
	"revisePlan",
	"goWithPlan",
	"goWithPlanInNewThread",
	"useSettings",
	"keepSettings",
	"openThreadFolder",
] as const;
export type PanelCommand = (typeof PANEL_COMMANDS)[number];

/** More than any block of a thread contains. */
const MAX_COPIED_CHARS = 16_000_000;
/** Base64 needs four characters for three bytes. */
const MAX_IMAGE_CHARS = Math.ceil(MAX_IMAGE_BYTES / 3) * 4;

const MAX_KEY_CHARS = 5_000;
const MAX_ATTACHED = 50;
const MAX_FILE_NAME_CHARS = 255;

const TurnName = z.string().max(64);
const MessageName = z.string().max(64);

/** The thread that the page is in, null for an empty chat: by the time a message arrives, another one may be open. */
const ThreadName = z.string().max(64).nullable().optional();

/** Attachments of a message. */
const along = {
	/** As base64. */
	images: z.array(z.string().max(MAX_IMAGE_CHARS)).max(MAX_IMAGES).optional(),
	/** Keys of attachments that the extension has offered. */
	attached: z.array(z.string().max(MAX_KEY_CHARS)).max(MAX_ATTACHED).optional(),
};

/** Messages from the page. The page is untrusted: the extension parses every message with this schema. */
export const FromWebview = z.discriminatedUnion("type", [
	/** The page has loaded and has no state yet. */
	z.object({ type: z.literal("ready") }),
	/**
	 * What the page would save, for the page of this chat in another place: drafts, queues and what is attached to them. Nothing
	 * but such a page reads it.
	 */
	z.object({ type: z.literal("keep"), state: z.unknown(), images: z.unknown().optional() }),
	/** The user is in this page now: what commands do is about its thread. */
	z.object({ type: z.literal("focused") }),
	/** Sends a prompt. `id` comes back with `submitted`. `stop`: stop the running turn first. */
	z.object({
		type: z.literal("submit"),
		id: MessageName,
		threadId: ThreadName,
		text: z.string().max(MAX_PROMPT_CHARS),
		...along,
		stop: z.literal(true).optional(),
	}),
	/** Sends a message to the running turn; answered with `submitted` too. */
	z.object({
		type: z.literal("steer"),
		id: MessageName,
		turnId: TurnName,
		text: z.string().max(MAX_PROMPT_CHARS),
		...along,
	}),
	/** Answer to `readTyped`. */
	z.object({ type: z.literal("typed"), text: z.string().max(MAX_PROMPT_CHARS), ...along }),
	/** Runs a shell command of the user in the sandbox; answered with `submitted` too. */
	z.object({
		type: z.literal("runShell"),
		id: MessageName,
		threadId: ThreadName,
		command: z.string().min(1).max(MAX_SHELL_CHARS),
		stop: z.literal(true).optional(),
	}),
	/** Asks a side question, which is not part of the thread; answered with `aside`. */
	z.object({ type: z.literal("askAside"), id: MessageName, text: z.string().min(1).max(MAX_ASIDE_CHARS) }),
	/** Reviews a commit or a branch by its name. */
	z.object({
		type: z.literal("reviewRef"),
		of: z.enum(["branch", "commit"]),
		ref: z.string().min(1).max(MAX_REF_CHARS),
	}),
	/** Gives a side question up. */
	z.object({ type: z.literal("stopAside"), id: MessageName }),
	/** Pursues a text as the goal of the thread; the extension asks for its check and budget. */
	z.object({ type: z.literal("setGoal"), text: z.string().min(1).max(MAX_GOAL_CHARS) }),
	/** Pauses, resumes or stops the goal of the thread. */
	z.object({ type: z.literal("changeGoal"), to: z.enum(["paused", "active", "stopped"]) }),
	/** Does not show this finding of a review again in this workspace. */
	z.object({ type: z.literal("dismissFinding"), path: z.string().max(4_096), title: z.string().max(200) }),
	/** Finds mentions for what is typed after @. */
	z.object({ type: z.literal("findMentions"), id: MessageName, query: z.string().max(MAX_QUERY_CHARS) }),
	/** Dropped or pasted files as URIs; those in the workspace come back with `compose`. */
	z.object({ type: z.literal("attachFiles"), uris: z.array(z.string().max(4_096)).min(1).max(MAX_DROPPED_FILES) }),
	/** A dropped or pasted text file without a path; comes back with `compose`. */
	z.object({
		type: z.literal("attachText"),
		name: z.string().min(1).max(MAX_FILE_NAME_CHARS),
		text: z.string().max(MAX_DROPPED_CHARS),
	}),
	/** Attaches what was attached to that turn to the next prompt; comes back with `compose`. */
	z.object({ type: z.literal("attachAgain"), turnId: TurnName }),
	/** Requests an image of the open thread by its id. */
	z.object({ type: z.literal("readImage"), imageId: z.string().max(64) }),
	/** Requests the patch of the event with that number, of which only the beginning was sent; answered with `patch`. */
	z.object({ type: z.literal("readPatch"), seq: z.int().min(1) }),
	z.object({ type: z.literal("stop") }),
	/** Sends the prompt of that turn again. `stop`: it is still running, stop it first. */
	z.object({ type: z.literal("retry"), turnId: TurnName, stop: z.literal(true).optional() }),
	/** Answers an approval, with the digest of what was shown. `allowRule` writes the rule that the host offered. */
	z.object({
		type: z.literal("answerApproval"),
		approvalId: z.string().max(128),
		digest: z.string().max(256),
		decision: ApprovalDecision,
		note: z.string().max(MAX_NOTE_CHARS).optional(),
	}),
	/** Answers a question of the host. */
	z.object({
		type: z.literal("answerQuestion"),
		questionId: z.string().max(128),
		choice: QuestionChoice,
		answers: GivenAnswers.optional(),
	}),
	/** Opens the full diff of a patch that needs approval. */
	z.object({ type: z.literal("showDiff"), approvalId: z.string().max(128) }),
	/** Opens the context that was sent in that turn, beside what was sent before. */
	z.object({ type: z.literal("showContextSent"), turnId: TurnName }),
	/**
	 * Replaces the prompt of that turn and everything after it by this one, which takes the images and attachments along;
	 * answered with `submitted` too.
	 */
	z.object({ type: z.literal("resend"), id: MessageName, turnId: TurnName, text: z.string().max(MAX_PROMPT_CHARS) }),
	/** Restores files, the conversation or both to before that turn; the extension asks which. */
	z.object({ type: z.literal("restore"), turnId: TurnName }),
	/** Restores the files that were changed since that turn started. */
	z.object({ type: z.literal("undoFiles"), turnId: TurnName }),
	/** Opens, keeps or rejects the pending changes of a file. */
	z.object({ type: z.literal("reviewFile"), path: z.string().max(4_096), act: z.enum(["open", "keep", "reject"]) }),
	/** Replaces earlier turns by a summary, which gives priority to the focus if there is one. */
	z.object({
		type: z.literal("compact"),
		focus: z.string().max(MAX_FOCUS_CHARS).optional(),
		/** Turns after this one are not compacted. */
		throughTurnId: TurnName.optional(),
	}),
	/** Adds a line to the instructions, as a change to review. */
	z.object({ type: z.literal("remember"), text: z.string().min(1).max(MAX_REMEMBERED_CHARS) }),
	/**
	 * Pins or unpins the prompt of that turn, or the message with that text that was sent into it: compactions keep
	 * what is pinned word for word.
	 */
	z.object({
		type: z.literal("pin"),
		turnId: TurnName,
		steered: z.string().min(1).max(MAX_PROMPT_CHARS).optional(),
		pinned: z.boolean(),
	}),
	z.object({ type: z.literal("undoCompaction") }),
	/** Forks the thread after that turn. */
	z.object({ type: z.literal("fork"), turnId: TurnName }),
	/** Opens another thread, such as the latest one in this folder. */
	z.object({ type: z.literal("openThread"), threadId: z.string().max(64) }),
	/** Events are missing: send the thread again from the start. */
	z.object({ type: z.literal("resync") }),
	z.object({ type: z.literal("run"), command: z.enum(PANEL_COMMANDS) }),
	/** A link was clicked; the extension opens only http and https. */
	z.object({ type: z.literal("openLink"), url: z.string().max(4_096) }),
	/** A file link was clicked; the extension opens only files in the workspace. */
	z.object({ type: z.literal("openFile"), path: z.string().max(4_096), line: z.int().min(1).optional() }),
	/** Requests the contents of the next request for the meter; answered with `context`. */
	z.object({ type: z.literal("readContext") }),
	/** Shows the output of that command in a terminal of the editor, and follows it. */
	z.object({ type: z.literal("showInTerminal"), itemId: z.string().max(64) }),
	/** Moves a command that the running turn waits for to the background. */
	z.object({ type: z.literal("moveToBackground"), callId: z.string().max(1_000) }),
	z.object({ type: z.literal("copy"), text: z.string().max(MAX_COPIED_CHARS) }),
	/** Inserts code at the cursor in the editor. */
	z.object({ type: z.literal("insertCode"), text: z.string().max(MAX_COPIED_CHARS) }),
	/** Replaces the unsaved text of the named file, or of the file in the editor. */
	z.object({
		type: z.literal("applyCode"),
		text: z.string().max(MAX_COPIED_CHARS),
		path: z.string().min(1).max(4_096).optional(),
	}),
]);
export type FromWebview = z.infer<typeof FromWebview>;
export type ReviewAct = Extract<FromWebview, { readonly type: "reviewFile" }>["act"];

/** Text of an item that is still streaming, which no durable event contains yet. */
export interface LiveText {
	readonly turnId: string;
	readonly itemId: string;
	readonly itemKind: GrowingKind;
	readonly text: string;
}

/** The answer to a side question. */
export interface AsideAnswer {
	readonly text: string;
	readonly model: string;
	readonly cost?: number | undefined;
}

/** Messages to the page. */
export type ToWebview =
	/** What the page of this chat before this one has kept; comes before everything else. */
	| { readonly type: "restore"; readonly state: unknown; readonly images: unknown }
	/** The page is in sight again. */
	| { readonly type: "shown" }
	| { readonly type: "panel"; readonly panel: PanelState }
	/**
	 * This thread comes next, and what the user writes is for it already. `begun`: it has begun in this chat, which was empty,
	 * so what is written there goes along.
	 */
	| { readonly type: "opening"; readonly threadId: string; readonly begun?: true }
	/** Opens this thread. `threadId` is null for a new thread without turns. */
	| { readonly type: "thread"; readonly threadId: string | null; readonly title: string }
	/** Events of the open thread in order; may repeat earlier ones. `loading` is false on the last page of a load. */
	| {
			readonly type: "events";
			readonly threadId: string;
			readonly events: readonly PublishedEvent[];
			readonly live?: readonly LiveText[];
			readonly loading: boolean;
	  }
	/** What the sub-agents of the open thread wait for, oldest first. */
	| {
			readonly type: "agentsWaiting";
			readonly threadId: string;
			readonly approvals: readonly ApprovalRequest[];
			readonly questions: readonly QuestionRequest[];
	  }
	/**
	 * Answer to `submit`, `resend`, `steer` and `runShell`: accepted, or the reason why not; then the text stays in the composer.
	 */
	| { readonly type: "submitted"; readonly id: string; readonly problem?: string }
	/** Answer to `askAside`: what the model said, or why it said nothing. */
	| { readonly type: "aside"; readonly id: string; readonly answer?: AsideAnswer; readonly problem?: string }
	/** Answer to `readImage`: a `data:` URL, empty if the image is missing or damaged. */
	| { readonly type: "image"; readonly imageId: string; readonly url: string }
	/** Answer to `readPatch`: all arguments of the call. */
	| { readonly type: "patch"; readonly threadId: string; readonly seq: number; readonly text: string }
	| { readonly type: "context"; readonly context: InspectorState }
	/** A problem that belongs to no turn, shown above the composer until dismissed. */
	| { readonly type: "problem"; readonly message: string; readonly action?: PanelCommand }
	| { readonly type: "focusInput" }
	/** Plays a short sound: a turn is done, or something waits for the user, who is elsewhere. */
	| { readonly type: "chime"; readonly about: "done" | "waiting" }
	/** What can be attached from the editor, in the order of the chips. */
	| { readonly type: "editorChips"; readonly chips: readonly EditorChip[] }
	/** Answer to `findMentions`, best first; more may follow under the same id until `isWhole`. */
	| {
			readonly type: "mentions";
			readonly id: string;
			readonly mentions: readonly Mention[];
			readonly isWhole: boolean;
			/** Why some files are missing. */
			readonly missing?: string;
	  }
	/** Asks what is typed and attached, as it would be sent to the model now. */
	| { readonly type: "readTyped" }
	/** Puts a text and attachments into the composer; `send` also sends it if there was no draft. */
	| {
			readonly type: "compose";
			readonly text: string;
			readonly attach: readonly Attachable[];
			readonly how: "send" | "write";
	  };
