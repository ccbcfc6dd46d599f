import * as z from "zod";
import { ThreadId, TurnId } from "../ids.ts";
import { defineMethod } from "../method.ts";
import { HostText, SaidFields } from "../say.ts";
import { ReasoningEffort } from "../settings/model-values.ts";
import { ApprovalPolicy, NetworkMode, PermissionMode, SandboxKind } from "../settings/policy-settings.ts";
import { CollaborationMode, ModelSettings, PartialSettings } from "../settings/settings.ts";
import { Source } from "../settings/source-settings.ts";
import { CacheBreak } from "./cache-break.ts";
import { MAX_INPUTS, PromptInput } from "./turn.ts";

/** What the user can mute. */
export const MutableKind = z.enum(["toolOutput", "agentMessage"]);

/** An item that can be muted: its place in the history, the length of its own text, and whether it is muted. */
const Mutable = z.object({ at: z.int().min(0), chars: z.int().min(0), muted: z.boolean() });

export const InspectedItem = z.object({
	index: z.number(),
	/** Kind of the fragment or of the history item. */
	kind: z.string(),
	role: z.string(),
	/** For an item with the user role: `plain` for the user's text, otherwise its kind. */
	messageKind: z.string().optional(),
	/** Where the text comes from: host, user, workspace, tool, server or model. */
	origin: z.string(),
	tokens: z.number(),
	/** Token counts of single items are always estimates. */
	estimated: z.boolean(),
	turnId: TurnId.optional(),
	/** The provider's cache can reuse it: it was in the previous request at the same place. */
	cached: z.boolean(),
	/** For a message of the user that can be pinned: whether it is. */
	pinned: z.boolean().optional(),
	/** It is what a compaction left of earlier turns, or came in the turn that it was made in. */
	compacted: z.literal(true).optional(),
	/** It was sent into a running turn. */
	steered: z.boolean().optional(),
	/** For an item of the next request that can be muted. */
	mutable: Mutable.optional(),
	text: z.string(),
});
export type InspectedItem = z.infer<typeof InspectedItem>;

/** Something that a thread can do without. */
const ListedSource = Source.extend({
	/** What it adds to every request, or would add; an estimate. */
	tokens: z.number(),
	isOff: z.boolean(),
});
export type ListedSource = z.infer<typeof ListedSource>;

const ContextInspected = z.object({
	items: z.array(InspectedItem),
	/** Number of earlier turns that compactions replaced. */
	compactedTurns: z.int().optional(),
	model: z.string(),
	window: z.number(),
	effectiveWindow: z.number(),
	autoCompactLimit: z.number(),
	/** Of the whole request, as the panel's meter and automatic compaction count them; the items add up to it. */
	tokens: z.number(),
	/** The effective policy in sentences. */
	policy: z.array(HostText),
	policyDigest: z.string(),
	/** Instruction files of an untrusted workspace, which are not read. */
	notFollowed: z.array(z.string()).optional(),
	/** Index of the first item that the cache cannot reuse; absent if nothing was sent yet. */
	firstUncached: z.number().optional(),
	/** For the next request: servers, folders of skills and of agent files, plugins and hooks, which the thread setting `sources.off` switches off. */
	sources: z.array(ListedSource).optional(),
	/** Why a sent request was not read from the cache, or why the next one cannot be; absent if nothing speaks against it. */
	cacheMiss: CacheBreak.optional(),
	/**
	 * Identifies a sent request; absent for the next one. `isExact`: the rebuilt request has the digest of the sent one.
	 */
	request: z.object({ number: z.int(), of: z.int(), turnId: TurnId, isExact: z.boolean() }).optional(),
	/**
	 * The body for the provider as JSON, if requested. The next request has only the prompt of `input`. It lacks what hooks,
	 * prompts of MCP servers and customizations that need approval first will add to it.
	 */
	raw: z.string().optional(),
});
export type ContextInspected = z.infer<typeof ContextInspected>;

export const contextInspect = defineMethod(
	"context/inspect",
	"The next request of a thread, item by item, as it would be sent if a turn started now; or one that was sent, rebuilt from the records.",
	{
		params: z.object({
			threadId: ThreadId,
			/** Which sent request, counted from 1, or from the newest back with -1. */
			request: z
				.int()
				.refine((number) => number !== 0, "Requests are counted from 1.")
				.optional(),
			/** Whether to include the body as it is sent. */
			raw: z.boolean().default(false),
			/** For the next request: what the user has typed and attached so far. */
			input: z.array(PromptInput).max(MAX_INPUTS).optional(),
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

export const threadMute = defineMethod(
	"thread/mute",
	"Mutes a tool output or an answer of the model: from the next request on, the model gets one line in its place. Unmuting brings the text back. User messages cannot be muted, and nothing can while a turn runs.",
	{
		params: z.object({
			threadId: ThreadId,
			/** As `context/inspect` gave them; refused if another item is in that place now. */
			at: Mutable.shape.at,
			chars: Mutable.shape.chars,
			muted: z.boolean().default(true),
		}),
		result: z.object({}),
	},
);

export const policyShow = defineMethod(
	"policy/show",
	"What a turn of the thread would use if it started now: its permissions, as the model reads them, its model and its folder.",
	{
		params: z.object({
			threadId: ThreadId.optional(),
			/** Whether to include the sandbox's arguments, which takes longer. */
			compiled: z.boolean().default(true),
		}),
		result: z.object({
			/** The sandbox's arguments for a command, without the values of variables; absent if no command could run. */
			compiled: z.array(z.string()).optional(),
			name: z.string(),
			nameSaid: SaidFields,
			mode: PermissionMode,
			approval: ApprovalPolicy,
			network: NetworkMode,
			words: z.array(HostText),
			digest: z.string(),
			sandbox: SandboxKind,
			/** Whether any command could run, with or without an approval. */
			commands: z.boolean(),
			/** What else would apply to the turn. */
			provider: ModelSettings.shape.provider.unwrap(),
			model: z.string(),
			/** Whether the model reads images, as far as it is known. */
			images: z.boolean(),
			effort: ReasoningEffort.optional(),
			cwd: z.string().optional(),
			/** False if the folder is not open in this window. */
			isFolderOpen: z.boolean(),
			collaboration: CollaborationMode,
			/** Whether the user talks instead of typing. */
			live: z.boolean(),
			/** Tokens of its first request without the prompt, and how many the window takes. */
			context: z.object({ tokens: z.number(), effectiveWindow: z.number() }),
			/** Client settings that the thread has not adopted. */
			offered: PartialSettings,
			/** Skills, commands and prompts of MCP servers that the user can invoke with `/`. */
			prompts: z.array(
				z.object({
					name: z.string(),
					about: z.string(),
					argumentHint: z.string(),
					origin: z.enum(["user", "workspace", "server"]),
					/** The file or folder, or the name of the MCP server. */
					path: z.string(),
				}),
			),
			/** Set in plan mode: what applies after it. */
			plan: z.object({ mode: PermissionMode, network: NetworkMode }).optional(),
		}),
	},
);
