import * as z from "zod";
import { AgentOrigin } from "../agent.ts";
import { ItemId, ThreadId, TurnId } from "../ids.ts";
import { defineMethod, defineNotification } from "../method.ts";
import { ClientSettings } from "../settings/client-settings.ts";
import { ApprovalPolicy, PermissionMode } from "../settings/policy-settings.ts";
import { PartialSettings } from "../settings/settings.ts";
import { PublishedEvent } from "./events.ts";
import { GrowingKind } from "./item.ts";

export const ThreadSummary = z.object({
	threadId: ThreadId,
	title: z.string(),
	preview: z.string(),
	cwd: z.string().optional(),
	model: z.string(),
	/** The policy of its last turn. */
	approval: ApprovalPolicy.optional(),
	permissionMode: PermissionMode.optional(),
	percentLeft: z.number().optional(),
	turns: z.number(),
	updatedAt: z.number(),
	archived: z.boolean(),
	/** True while a turn of this thread runs in this host. */
	running: z.boolean(),
	/** Set if it belongs to a sub-agent. */
	agent: AgentOrigin.optional(),
	/** Set if it works in a Git worktree of `folder`. */
	worktree: z.object({ branch: z.string(), folder: z.string(), path: z.string() }).optional(),
});
export type ThreadSummary = z.infer<typeof ThreadSummary>;

export const threadStart = defineMethod("thread/start", "Starts a thread. Nothing is written until its first turn.", {
	params: z.object({ cwd: z.string().optional(), settings: ClientSettings.optional() }),
	result: z.object({ threadId: ThreadId }),
});

const ListParams = z.object({
	query: z.string().max(1_000).optional(),
	archived: z.boolean().optional(),
	cursor: z.string().optional(),
	limit: z.int().min(1).max(1_000).default(100),
});

export const threadList = defineMethod("thread/list", "The threads, newest first. `query` matches titles.", {
	params: ListParams,
	result: z.object({ threads: z.array(ThreadSummary), nextCursor: z.string().optional() }),
});

/** The text so far of an item in progress. */
const LiveText = z.object({ turnId: TurnId, itemId: ItemId, itemKind: GrowingKind, text: z.string() });

export const threadRead = defineMethod(
	"thread/read",
	"The durable events after number `after`, oldest first, at most `limit`; with `before`, the newest ones before that number, so that a client can start at the end and page backwards. Also the partial text of the item in progress.",
	{
		params: z.object({
			threadId: ThreadId,
			after: z.int().min(0).default(0),
			/** A number greater than the newest returns the end of the thread. */
			before: z.int().min(1).optional(),
			limit: z.int().min(1).max(100_000).default(2_000),
			/** Cuts long patches as `thread/event` does. */
			cut: z.literal(true).optional(),
		}),
		result: z.object({
			title: z.string(),
			events: z.array(PublishedEvent),
			/** Number of the newest durable event; there are more pages while the last event read has a smaller number. */
			last: z.number(),
			live: LiveText.optional(),
			/** The other calls, if several run in parallel. */
			others: z.array(LiveText).optional(),
		}),
	},
);

export const threadResume = defineMethod(
	"thread/resume",
	"Opens a recorded thread for more turns. An unfinished turn is recorded as interrupted.",
	{
		params: z.object({ threadId: ThreadId }),
		result: z.object({ threadId: ThreadId, last: z.number() }),
	},
);

export const threadSettings = defineMethod(
	"thread/settings",
	"Changes the settings of a thread from its next turn; if they take rights away, a running turn only reads from then on. Applied completely or refused with the reason; without changes it returns the current settings.",
	{
		params: z.object({ threadId: ThreadId, cwd: z.string().optional(), settings: ClientSettings.default({}) }),
		result: z.object({
			/** The user's choices for this thread. */
			settings: PartialSettings,
			/** Client settings that the thread keeps as they were, unless the user chose otherwise. */
			held: PartialSettings,
			cwd: z.string().optional(),
			/** False if the folder is not open in this window: the thread is read-only until it is opened or moved. */
			isFolderOpen: z.boolean(),
			/** Client settings that this thread has not adopted. */
			offered: PartialSettings,
		}),
	},
);

export const threadFork = defineMethod(
	"thread/fork",
	"Forks a thread at the end of a turn, or as it is now. The fork has the current permissions of the original, without Full Access.",
	{
		params: z.object({ threadId: ThreadId, throughTurnId: TurnId.optional() }),
		result: z.object({ threadId: ThreadId }),
	},
);

export const threadRollback = defineMethod(
	"thread/rollback",
	"Removes the last turns from the conversation. Their records are kept; files are not changed.",
	{
		params: z.object({ threadId: ThreadId, turns: z.int().min(1).max(100_000) }),
		result: z.object({ threadId: ThreadId, last: z.number() }),
	},
);

export const threadSearch = defineMethod(
	"thread/search",
	"The threads whose prompts or answers match `query`, newest first; all threads without a query. Includes archived threads, unless `archived` filters them.",
	{
		params: ListParams,
		result: z.object({
			/** `found`: the text around the first match. */
			threads: z.array(ThreadSummary.extend({ found: z.string() })),
			nextCursor: z.string().optional(),
		}),
	},
);

export const threadRename = defineMethod("thread/rename", "Sets the title shown in lists.", {
	params: z.object({ threadId: ThreadId, title: z.string().trim().min(1).max(200) }),
	result: z.object({}),
});

export const threadClose = defineMethod(
	"thread/close",
	"Releases a thread in which nothing runs, so that another host can use it. Using it again opens it again.",
	{ params: z.object({ threadId: ThreadId }), result: z.object({}) },
);

export const threadArchive = defineMethod("thread/archive", "Hides a thread from the list, or brings it back.", {
	params: z.object({ threadId: ThreadId, archived: z.boolean().default(true) }),
	result: z.object({}),
});

export const threadDelete = defineMethod(
	"thread/delete",
	"Deletes a thread and its file permanently, with those of its sub-agents.",
	{
		params: z.object({ threadId: ThreadId }),
		result: z.object({}),
	},
);

export const threadExport = defineMethod(
	"thread/export",
	"Exports a thread as text: its records, for import elsewhere, or Markdown.",
	{
		params: z.object({ threadId: ThreadId, format: z.enum(["records", "markdown"]).default("records") }),
		result: z.object({ text: z.string() }),
	},
);

export const threadImport = defineMethod(
	"thread/import",
	"Imports the conversation of exported records, or of a session file of Codex or Claude Code, as a new thread with this client's settings. Writes nothing unless all exported records are intact.",
	{ params: z.object({ text: z.string() }), result: z.object({ threadId: ThreadId }) },
);

export const threadReplay = defineMethod(
	"thread/replay",
	"Reproduces every request of an exported thread from its records and reports the first difference. Nothing is stored.",
	{
		params: z.object({ text: z.string() }),
		result: z.object({
			same: z.number(),
			/** Number of records that were skipped. */
			unreadable: z.number(),
			difference: z.object({ turnId: TurnId, request: z.number(), parts: z.array(z.string()) }).optional(),
		}),
	},
);

export const threadVerify = defineMethod("thread/verify", "Reads every record of every thread. Changes nothing.", {
	params: z.object({}),
	result: z.object({
		threads: z.number(),
		verified: z.number(),
		problems: z.array(z.object({ threadId: ThreadId, problem: z.string() })),
	}),
});

export const threadRepair = defineMethod(
	"thread/repair",
	"Removes a thread's unreadable records. The original file is kept.",
	{ params: z.object({ threadId: ThreadId }), result: z.object({ leftOut: z.number() }) },
);

export const threadEvent = defineNotification(
	"thread/event",
	"Something happened to a thread. Of a long patch only the beginning and its files are sent, with `cut`.",
	PublishedEvent.extend({ threadId: ThreadId }),
);
