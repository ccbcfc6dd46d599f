import * as z from "zod";
import { ThreadId, TurnId } from "../ids.ts";
import { MAX_FOCUS_CHARS } from "../limits.ts";
import { defineMethod } from "../method.ts";
import { SaidFields } from "../say.ts";

const id = z.string().min(1).max(64).brand<"CompactionId">();
export const CompactionId = id;
export type CompactionId = z.infer<typeof CompactionId>;

/**
 * The reason: requested by the user, limit reached, switch to a smaller window, the provider said "too long", or switch
 * to a model that cannot read the server-side summary of the previous one.
 */
export const CompactionReason = z.enum(["manual", "limit", "downshift", "overflow", "modelSwitch"]);
export type CompactionReason = z.infer<typeof CompactionReason>;

export const CompactionPhase = z.enum(["standalone", "preTurn", "midTurn"]);
export type CompactionPhase = z.infer<typeof CompactionPhase>;

export const CompactionStrategy = z.enum(["structured", "remote", "deterministic"]);
export type CompactionStrategy = z.infer<typeof CompactionStrategy>;

/** What a compaction does or did, for the user. The transcript stays complete. */
export const CompactionReport = z.object({
	strategy: CompactionStrategy,
	/** Number of replaced turns. */
	turns: z.int().min(0),
	/** Tokens of the next request, on one scale: as the provider counts, as far as known. */
	before: z.number(),
	after: z.number(),
	/** The user messages that are kept word for word; `cut` ones only in part. */
	verbatim: z.array(z.object({ text: z.string(), tokens: z.number(), cut: z.boolean().optional() })),
	/** What the model no longer sees, by kind. All of it can be read with `recall`. */
	dropped: z.array(z.object({ kind: z.string(), count: z.int(), tokens: z.number() })),
	/** Empty if no model wrote one. */
	summary: z.string(),
	/** Quotes of the user that the model had altered and the host corrected. */
	repaired: z.int().min(0),
	/** Why another strategy than the chosen one was used, if so. */
	fallback: z.string().optional(),
	/** The same by name. Absent in threads of older releases. */
	fallbackSaid: SaidFields.optional(),
});
export type CompactionReport = z.infer<typeof CompactionReport>;

/** Shared by the three events of a compaction. */
export const compactionEvent = {
	compactionId: CompactionId,
	reason: CompactionReason,
	phase: CompactionPhase,
	strategy: CompactionStrategy,
	before: z.number(),
	after: z.number(),
};

export const threadCompact = defineMethod(
	"thread/compact",
	"Compacts a thread. If a turn is running, this happens at its next step boundary, otherwise as a separate turn; progress arrives as `thread/event`. Refused while the thread is being compacted, and if nothing was said since the last compaction. With `preview`, nothing changes until `thread/compact/apply`, and the reply waits for the summary.",
	{
		params: z.object({
			threadId: ThreadId,
			preview: z.boolean().optional(),
			/** What the summary should focus on. */
			focus: z.string().max(MAX_FOCUS_CHARS).optional(),
			/** Turns after this one are left as they are. */
			throughTurnId: TurnId.optional(),
		}),
		result: z.object({ compactionId: CompactionId, preview: CompactionReport.optional() }),
	},
);

export const threadCompactApply = defineMethod(
	"thread/compact/apply",
	"Applies a previewed compaction, with the user's edited summary if there is one. Messages since the preview are kept. Replies when it is done; while a turn runs, when that turn has been notified.",
	{
		params: z.object({ compactionId: CompactionId, summary: z.string().min(1).max(200_000).optional() }),
		result: z.object({}),
	},
);

export const threadCompactUndo = defineMethod(
	"thread/compact/undo",
	"Undoes the last compaction, before the turns made since. Works until the next compaction, or until a turn that it kept is rolled back.",
	{ params: z.object({ threadId: ThreadId }), result: z.object({}) },
);

export const threadPin = defineMethod(
	"thread/pin",
	"Pins or unpins the prompt of a turn, or a message that was sent into it: what is pinned is kept verbatim in every compaction.",
	{
		params: z.object({
			threadId: ThreadId,
			turnId: TurnId,
			/** The text of a message that was sent into the turn; absent for the prompt. */
			steered: z.string().min(1).optional(),
			pinned: z.boolean().default(true),
		}),
		result: z.object({}),
	},
);
