import * as z from "zod";
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
	/** As its last turn ran. */
	approval: ApprovalPolicy.optional(),
	permissionMode: PermissionMode.optional(),
	percentLeft: z.number().optional(),
	turns: z.number(),
	updatedAt: z.number(),
	archived: z.boolean(),
	/** True while a turn of this thread runs in this host. */
	running: z.boolean(),
});
export type ThreadSummary = z.infer<typeof ThreadSummary>;

export const threadStart = defineMethod("thread/start", "Begins a thread. Nothing is written until its first turn.", {
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

/** Text of an item in flight, as far as it came. */
const LiveText = z.object({ turnId: TurnId, itemId: ItemId, itemKind: GrowingKind, text: z.string() });

export const threadRead = defineMethod(
	"thread/read",
	"The durable events after number `after`, oldest first, at most `limit`; with `before`, the newest of those that come before that number, so that a client can begin at the end and page backwards. And the text so far of the item in flight.",
	{
		params: z.object({
			threadId: ThreadId,
			after: z.int().min(0).default(0),
			/** A number greater than the newest gives the end of the thread. */
			before: z.int().min(1).optional(),
			limit: z.int().min(1).max(100_000).default(2_000),
		}),
		result: z.object({
			title: z.string(),
			events: z.array(PublishedEvent),
			/** Number of the newest durable event; more pages follow while the last one read is smaller. */
			last: z.number(),
			live: LiveText.optional(),
			/** Of calls that run side by side, the others. */
			others: z.array(LiveText).optional(),
		}),
	},
);

export const threadResume = defineMethod(
	"thread/resume",
	"Opens a recorded thread for further turns. A turn that its host did not end is recorded as interrupted.",
	{
		params: z.object({ threadId: ThreadId }),
		result: z.object({ threadId: ThreadId, last: z.number() }),
	},
);

export const threadSettings = defineMethod(
	"thread/settings",
	"What holds for the next and later turns of a thread. Taken over whole, or refused whole with the reason; with no change it only says what holds.",
	{
		params: z.object({ threadId: ThreadId, cwd: z.string().optional(), settings: ClientSettings.default({}) }),
		result: z.object({
			/** What the user chose for this thread. */
			settings: PartialSettings,
			/** What it keeps of the client's settings as they were, where the user chose nothing. */
			held: PartialSettings,
			cwd: z.string().optional(),
			/** False for a folder that this window does not have open: there the thread only reads, until it is opened or moved. */
			isFolderOpen: z.boolean(),
			/** What the client's settings say now and this thread has not taken. */
			offered: PartialSettings,
		}),
	},
);

export const threadFork = defineMethod(
	"thread/fork",
	"Makes a new thread of this one as it was at the end of a turn; without one, as it is now. What it may do is what this one may do now, without full access.",
	{
		params: z.object({ threadId: ThreadId, throughTurnId: TurnId.optional() }),
		result: z.object({ threadId: ThreadId }),
	},
);

export const threadRollback = defineMethod(
	"thread/rollback",
	"Takes the last turns out of what the model is sent. Their records stay; files are not touched.",
	{
		params: z.object({ threadId: ThreadId, turns: z.int().min(1).max(100_000) }),
		result: z.object({ threadId: ThreadId, last: z.number() }),
	},
);

export const threadSearch = defineMethod(
	"thread/search",
	"The threads whose prompts or answers hold the words of `query`, newest first; all of them without one. Archived ones too, unless `archived` says which.",
	{
		params: ListParams,
		result: z.object({
			/** `found`: the words around the first match. */
			threads: z.array(ThreadSummary.extend({ found: z.string() })),
			nextCursor: z.string().optional(),
		}),
	},
);

export const threadRename = defineMethod("thread/rename", "Sets the title shown in lists.", {
	params: z.object({ threadId: ThreadId, title: z.string().trim().min(1).max(200) }),
	result: z.object({}),
});

export const threadArchive = defineMethod("thread/archive", "Hides a thread from the list, or brings it back.", {
	params: z.object({ threadId: ThreadId, archived: z.boolean().default(true) }),
	result: z.object({}),
});

export const threadDelete = defineMethod("thread/delete", "Removes a thread and its file for good.", {
	params: z.object({ threadId: ThreadId }),
	result: z.object({}),
});

export const threadExport = defineMethod(
	"thread/export",
	"A thread as text: its records, to bring in elsewhere, or Markdown.",
	{
		params: z.object({ threadId: ThreadId, format: z.enum(["records", "markdown"]).default("records") }),
		result: z.object({ text: z.string() }),
	},
);

export const threadImport = defineMethod(
	"thread/import",
	"Brings in the conversation of exported records as a new thread, with the settings of this client. All of it is intact, or nothing is written.",
	{ params: z.object({ text: z.string() }), result: z.object({ threadId: ThreadId }) },
);

export const threadReplay = defineMethod(
	"thread/replay",
	"Makes every request of an exported thread again from its records alone, and names the first that comes out differently. Nothing is kept.",
	{
		params: z.object({ text: z.string() }),
		result: z.object({
			same: z.number(),
			/** Records that were left out. */
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
	"Leaves a thread's unreadable records out. The file as it was is kept beside it.",
	{ params: z.object({ threadId: ThreadId }), result: z.object({ leftOut: z.number() }) },
);

export const threadEvent = defineNotification(
	"thread/event",
	"Something happened to a thread.",
	PublishedEvent.extend({ threadId: ThreadId }),
);
