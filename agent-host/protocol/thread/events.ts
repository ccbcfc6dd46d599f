import * as z from "zod";
import { AgentReport } from "../agent.ts";
import { ApprovalDecision, ApprovalRequest } from "../approval/approval.ts";
import { Decision } from "../approval/ledger.ts";
import { GivenAnswers, QuestionChoice, QuestionRequest } from "../approval/question.ts";
import { ClientId, ItemId, TurnId } from "../ids.ts";
import { SaidFields, sentenceFields } from "../say.ts";
import { ApprovalPolicy, PermissionMode } from "../settings/policy-settings.ts";
import { CollaborationMode, PartialSettings } from "../settings/settings.ts";
import { CacheBreak } from "./cache-break.ts";
import { ChangedFile, TouchedFile, UserEdit } from "./changes.ts";
import { CompactionId, compactionEvent } from "./compaction.ts";
import { MutableKind } from "./context.ts";
import { Goal } from "./goal.ts";
import { GrowingKind, Item } from "./item.ts";

/** Why a turn failed, in the few kinds a person can act on. */
export const TurnErrorCode = z.enum([
	"auth",
	"rate-limit",
	"network",
	"model-not-found",
	"model-not-set-up",
	"context-too-long",
	"budget",
	"loop",
	"bad-request",
	"server",
	"bad-stream",
	"storage",
	"hook",
	"host-ended",
	"internal",
]);
export type TurnErrorCode = z.infer<typeof TurnErrorCode>;

/**
 * A limit that was reached: its scope, its unit, its value and the amount used. `agent`: of one sub-agent; `tree`: of the
 * turn that a sub-agent works for, which counts all of its agents.
 */
export const ReachedLimit = z.object({
	scope: z.enum(["turn", "thread", "day", "agent", "tree"]),
	unit: z.enum(["tokens", "money", "requests", "minutes"]),
	limit: z.number(),
	spent: z.number(),
});
export type ReachedLimit = z.infer<typeof ReachedLimit>;

export const TurnError = z.object({
	code: TurnErrorCode,
	/** One sentence: what happened and what to do. */
	message: z.string(),
	...sentenceFields,
	/** Set if the turn ended at one of the user's limits. */
	limit: ReachedLimit.optional(),
	/** Set if the turn was ended because it repeated itself. */
	repeated: z.object({ title: z.string(), titleSaid: SaidFields.optional(), times: z.int() }).optional(),
});
export type TurnError = z.infer<typeof TurnError>;

export const TokenCount = z.object({
	input: z.number(),
	cached: z.number(),
	output: z.number(),
	reasoning: z.number(),
	total: z.number(),
	/** The part of the input that was written to the provider's cache; absent if none was reported. */
	cacheWrite: z.number().optional(),
});
export type TokenCount = z.infer<typeof TokenCount>;

/** The cost of requests. Money is in US dollars and covers only requests with a known price. */
export const Spent = z.object({
	tokens: z.number().min(0),
	money: z.number().min(0),
	/** Number of answers without a known price. */
	unpriced: z.number().min(0),
	requests: z.number().min(0),
	minutes: z.number().min(0),
});
export type Spent = z.infer<typeof Spent>;

/** What a turn and its thread have cost, with their sub-agents. */
export const SpentSoFar = z.object({ turn: Spent, thread: Spent });
export type SpentSoFar = z.infer<typeof SpentSoFar>;

/** Absent in threads of older releases. */
const spending = { spent: SpentSoFar.optional() };

/** Where the context window size comes from: the user, the server, our table, an overflow, or a guess. */
export const WindowSource = z.enum(["setting", "server", "table", "learned", "assumed"]);
export type WindowSource = z.infer<typeof WindowSource>;

/** The part of a turn's envelope that a client may see: no instructions, no secrets. */
export const EnvelopeSummary = z.object({
	provider: z.string(),
	model: z.string(),
	window: z.number(),
	/** Absent in threads of older releases. */
	windowSource: WindowSource.optional(),
	cwd: z.string().optional(),
	roots: z.array(z.string()),
	trusted: z.boolean(),
	tools: z.array(z.string()),
	/** The policy in a few words. Absent in threads of older releases, like the three below. */
	permissions: z.string().optional(),
	permissionsSaid: SaidFields.optional(),
	permissionMode: PermissionMode.optional(),
	approval: ApprovalPolicy.optional(),
	/** Absent in Act mode. */
	collaboration: CollaborationMode.optional(),
});
export type EnvelopeSummary = z.infer<typeof EnvelopeSummary>;

const turnId = { turnId: TurnId };

/** The purpose of a turn that is not part of the conversation. */
export const TurnPurpose = z.enum(["compaction", "userCommand"]);
export type TurnPurpose = z.infer<typeof TurnPurpose>;

/** Everything that can happen to a thread. All but `itemDelta` are durable and numbered. */
export const ThreadEvent = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("turnStarted"),
		...turnId,
		envelope: EnvelopeSummary,
		/** The client's id of the request that started the turn. */
		clientId: ClientId.optional(),
		/** Absent for turns of the conversation: a compaction and a user's command do not ask a model for an answer. */
		purpose: TurnPurpose.optional(),
		/** The unfinished turn whose prompt this one repeats. The model reads it there. */
		repeats: TurnId.optional(),
	}),
	z.object({
		type: z.literal("contextUpdated"),
		...turnId,
		fragments: z.array(
			z.object({
				kind: z.string(),
				role: z.enum(["developer", "user"]),
				/**
				 * The kind of an item with the user role, so that no client parses tags. Absent in threads of older releases.
				 */
				messageKind: z.string().optional(),
				origin: z.string(),
				summary: z.string(),
				tokens: z.number(),
			}),
		),
	}),
	z.object({ type: z.literal("itemStarted"), ...turnId, item: Item }),
	z.object({
		type: z.literal("itemDelta"),
		...turnId,
		itemId: ItemId,
		itemKind: GrowingKind,
		/** UTF-16 units of the item's text before this piece; makes a repeated delta harmless. */
		offset: z.int().min(0),
		text: z.string(),
	}),
	z.object({ type: z.literal("itemCompleted"), ...turnId, item: Item }),
	z.object({
		type: z.literal("usage"),
		...turnId,
		last: TokenCount,
		total: TokenCount,
		window: z.number(),
		percentLeft: z.number(),
		estimated: z.boolean(),
		baseline: z.number(),
		/** Number of history items that `last` counts. Absent in threads of older releases. */
		items: z.int().min(0).optional(),
		/** US dollars for the last request; absent if its price is unknown. */
		cost: z.number().optional(),
		...spending,
		cacheBreak: CacheBreak.optional(),
	}),
	/** `after` is the target until the compaction is done. */
	z.object({ type: z.literal("compactionStarted"), ...turnId, ...compactionEvent }),
	z.object({ type: z.literal("compactionCompleted"), ...turnId, ...compactionEvent }),
	/** It has changed nothing. If the user has to know why, a warning before this says it. */
	z.object({ type: z.literal("compactionSkipped"), ...turnId, compactionId: CompactionId }),
	z.object({ type: z.literal("compactionUndone"), ...compactionEvent }),
	/** The user muted an item of the model's history, or unmuted it. */
	z.object({
		type: z.literal("muteChanged"),
		itemKind: MutableKind,
		/** Length of the item's own text. */
		chars: z.int().min(0),
		muted: z.boolean(),
	}),
	/**
	 * `text` is what is kept word for word; without it, it is no longer pinned. `itemId` names a message that was sent
	 * into the turn; without it, it is the prompt.
	 */
	z.object({ type: z.literal("pinChanged"), ...turnId, itemId: ItemId.optional(), text: z.string().optional() }),
	z.object({ type: z.literal("warning"), ...turnId, code: z.string(), message: z.string(), ...sentenceFields }),
	z.object({ type: z.literal("approvalRequested"), ...turnId, request: ApprovalRequest }),
	z.object({
		type: z.literal("approvalResolved"),
		...turnId,
		approvalId: z.string(),
		decision: ApprovalDecision,
		/** Who decided: the user, or the host if the turn ended first. */
		by: z.enum(["user", "host"]),
		note: z.string().optional(),
	}),
	z.object({ type: z.literal("questionAsked"), ...turnId, request: QuestionRequest }),
	/** `choice` is absent if the user could not be asked or the turn ended first. */
	z.object({
		type: z.literal("questionAnswered"),
		...turnId,
		questionId: z.string(),
		choice: QuestionChoice.optional(),
		answers: GivenAnswers.optional(),
	}),
	/** A call was decided without an approval; with one, its answer is the decision. */
	z.object({ type: z.literal("decided"), ...turnId, ...Decision.shape }),
	/** The user revoked an approval for the thread. */
	z.object({ type: z.literal("grantRevoked"), digest: z.string() }),
	/** A sub-agent of this thread began to work, or ended. */
	z.object({ type: z.literal("agentChanged"), ...turnId, agent: AgentReport }),
	/** A goal was set, a turn for it has ended, or it was paused, resumed or ended. */
	z.object({ type: z.literal("goalChanged"), goal: Goal }),
	/** What a call changed on the disk or in open documents. */
	z.object({ type: z.literal("turnDiff"), ...turnId, callId: z.string(), files: z.array(ChangedFile) }),
	/** All files that a turn changed, by patches or commands, sent when it ends; the list of paths may be cut. */
	z.object({
		type: z.literal("filesChanged"),
		...turnId,
		files: z.int().min(1),
		paths: z.array(z.string()),
		/**
		 * The first of those that run with the user's build or tests. Absent if there are none, and in threads of older
		 * releases.
		 */
		runWithBuild: z.array(z.string()).optional(),
	}),
	/** Files were restored to before that turn; `redone`: the restore was undone. */
	z.object({ type: z.literal("restored"), ...turnId, files: z.array(TouchedFile), redone: z.boolean() }),
	/** What the user did with the agent's changes; the next turn tells the model. */
	z.object({ type: z.literal("reviewed"), edits: z.array(UserEdit) }),
	/** The complete settings for later turns. */
	z.object({ type: z.literal("settingsChanged"), settings: PartialSettings, cwd: z.string().optional() }),
	/**
	 * These turns are no longer sent to the model. `restored`: the files that were restored just before belong to the same
	 * action.
	 */
	z.object({ type: z.literal("rolledBack"), turnIds: z.array(TurnId), restored: z.literal(true).optional() }),
	/** A rollback was undone: these turns are back, and those that came instead are gone. */
	z.object({ type: z.literal("rollbackUndone"), turnIds: z.array(TurnId), gone: z.array(TurnId) }),
	/** A request failed and is retried after `waitMs`, counted from the time of this event. */
	z.object({
		type: z.literal("retrying"),
		...turnId,
		/** The number of the next attempt, and the maximum. */
		attempt: z.int(),
		attempts: z.int(),
		waitMs: z.number(),
		code: TurnErrorCode,
		reason: z.string(),
		reasonSaid: SaidFields.optional(),
	}),
	z.object({ type: z.literal("titleChanged"), title: z.string() }),
	z.object({ type: z.literal("archivedChanged"), archived: z.boolean() }),
	z.object({
		type: z.literal("turnCompleted"),
		...turnId,
		status: z.enum(["completed", "interrupted", "failed"]),
		error: TurnError.optional(),
		...spending,
	}),
]);
export type ThreadEvent = z.infer<typeof ThreadEvent>;
export type DurableEvent = Exclude<ThreadEvent, { readonly type: "itemDelta" }>;

/** An event as published: durable ones carry `seq`, contiguous from 1 in each thread. */
export const PublishedEvent = z.object({
	seq: z.int().min(1).optional(),
	at: z.number(),
	event: ThreadEvent,
});
export type PublishedEvent = z.infer<typeof PublishedEvent>;
