import * as z from "zod";
import { ThreadId, TurnId } from "../../protocol/ids.ts";
import { CompactionId, CompactionStrategy } from "../../protocol/thread/compaction.ts";
import { TokenCount } from "../../protocol/thread/events.ts";
import { hintFor } from "../terminal-hint.ts";
import type { TurnOutcome } from "../turn-outcome.ts";

/** What a caller gets back for a turn. */
export const TurnResult = z.object({
	threadId: ThreadId,
	turnId: TurnId.optional(),
	/** `needsApproval`: the turn waits for its user; call `wait` to go on with it. */
	status: z.enum(["idle", "running", "needsApproval", "completed", "interrupted", "failed"]),
	text: z.string().optional(),
	error: z.object({ code: z.string(), message: z.string() }).optional(),
	usage: z.object({ last: TokenCount, total: TokenCount }).optional(),
	percentLeft: z.number().optional(),
	changedFiles: z.array(z.string()).optional(),
	/** What the agent wanted to do and was not allowed to. */
	refused: z.array(z.string()).optional(),
});
export type TurnResult = z.infer<typeof TurnResult>;

export const CompactResult = z.object({
	compactionId: CompactionId,
	strategy: CompactionStrategy,
	/** Tokens of the next request. */
	before: z.number(),
	after: z.number(),
	summary: z.string(),
	/** Nothing has changed yet: `compact_apply` does it. */
	preview: z.boolean(),
});

export function toTurnResult(outcome: TurnOutcome): TurnResult {
	const { threadId, turnId, text, usage, changedFiles, refused, error, waiting } = outcome;
	const isWaiting = outcome.status === "running" && Object.keys(waiting).length > 0;
	return {
		threadId,
		turnId,
		status: isWaiting ? "needsApproval" : outcome.status,
		text,
		...(error === undefined ? {} : { error: { code: error.code, message: error.message + hintFor(error) } }),
		...(usage === undefined ? {} : { usage: { last: usage.last, total: usage.total }, percentLeft: usage.percentLeft }),
		changedFiles: [...changedFiles],
		refused: [...refused],
	};
}
