import * as z from "zod";
import { ThreadId, TurnId } from "../ids.ts";
import { defineMethod } from "../method.ts";
import { ApprovalPolicy, NetworkMode, PermissionMode, SandboxKind } from "../settings/policy-settings.ts";
import { CollaborationMode, ModelSettings, PartialSettings, ReasoningEffort } from "../settings/settings.ts";

export const InspectedItem = z.object({
	index: z.number(),
	/** Kind of the fragment, or of the item of history. */
	kind: z.string(),
	role: z.string(),
	/** Of an item in the user's voice: `plain` for what the user said, else what it is. */
	messageKind: z.string().optional(),
	/** Who the words come from: host, user, workspace, tool, server or model. */
	origin: z.string(),
	tokens: z.number(),
	/** Token counts of single items are always estimates. */
	estimated: z.boolean(),
	turnId: TurnId.optional(),
	/** The provider's cache can reuse it: it stood in the request before, at the same place. */
	cached: z.boolean(),
	/** Of the prompt of a turn, which can be pinned: whether it is. */
	pinned: z.boolean().optional(),
	text: z.string(),
});
export type InspectedItem = z.infer<typeof InspectedItem>;

const ContextInspected = z.object({
	items: z.array(InspectedItem),
	model: z.string(),
	window: z.number(),
	effectiveWindow: z.number(),
	autoCompactLimit: z.number(),
	tokens: z.number(),
	/** Words of the policy that would be in force. */
	policy: z.array(z.string()),
	policyDigest: z.string(),
	/** Instruction files of a workspace that is not trusted: they are there, and not read. */
	notFollowed: z.array(z.string()).optional(),
	/** Index of the first item that the cache cannot reuse; absent when nothing was sent yet. */
	firstUncached: z.number().optional(),
	/** Which request that was sent this is; absent for the next one. `isExact`: made again, it has the digest of what was sent. */
	request: z.object({ number: z.int(), of: z.int(), turnId: TurnId, isExact: z.boolean() }).optional(),
	/** The body that the provider gets, as JSON, where it was asked for. Of the next request it lacks the prompt. */
	raw: z.string().optional(),
});
export type ContextInspected = z.infer<typeof ContextInspected>;

export const contextInspect = defineMethod(
	"context/inspect",
	"The next request of a thread, item by item, as it would be sent if a turn started now; or one that was sent, rebuilt from the records.",
	{
		params: z.object({
			threadId: ThreadId,
			/** Of those that were sent, counted from 1, or from the newest back with -1. */
			request: z
				.int()
				.refine((number) => number !== 0, "Requests are counted from 1.")
				.optional(),
			/** Whether to give the body as it is sent, too. */
			raw: z.boolean().default(false),
		}),
		result: ContextInspected,
	},
);

export const contextTold = defineMethod(
	"context/told",
	"The context sent to the model in a turn, and for each fragment the one sent before it.",
	{
		params: z.object({ threadId: ThreadId, turnId: TurnId }),
		result: z.object({
			fragments: z.array(z.object({ kind: z.string(), text: z.string(), before: z.string().optional() })),
		}),
	},
);

export const policyShow = defineMethod(
	"policy/show",
	"What a turn of the thread would use if it started now: its permissions, as the model reads them, its model and its folder.",
	{
		params: z.object({
			threadId: ThreadId.optional(),
			/** Whether to say what the sandbox is told, which takes longer. */
			compiled: z.boolean().default(true),
		}),
		result: z.object({
			/** What the sandbox is told for a command, without the values of variables; absent when no command could run. */
			compiled: z.array(z.string()).optional(),
			name: z.string(),
			mode: PermissionMode,
			approval: ApprovalPolicy,
			network: NetworkMode,
			words: z.array(z.string()),
			digest: z.string(),
			sandbox: SandboxKind,
			/** Whether any command could run, with or without an approval. */
			commands: z.boolean(),
			/** What else the turn would be bound to. */
			provider: ModelSettings.shape.provider.unwrap(),
			model: z.string(),
			effort: ReasoningEffort.optional(),
			cwd: z.string().optional(),
			/** False for a folder that this window does not have open. */
			isFolderOpen: z.boolean(),
			collaboration: CollaborationMode,
			/** What the client's settings say now and the thread has not taken. */
			offered: PartialSettings,
			/** It is plan mode; this is what holds when that is over. */
			plan: z.object({ mode: PermissionMode, network: NetworkMode }).optional(),
		}),
	},
);
