import type { CompactionPlan } from "../../compaction/plan-compaction.ts";
import type { Replacement } from "../../compaction/replacement.ts";
import type { CheckedSummary } from "../../compaction/summary-contract.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { Said } from "../../protocol/say.ts";
import type {
	CompactionId,
	CompactionPhase,
	CompactionReason,
	CompactionReport,
} from "../../protocol/thread/compaction.ts";
import type { Spent, TokenCount } from "../../protocol/thread/events.ts";

/** A requested compaction: its reason, timing and range. */
export interface CompactionRequest {
	readonly compactionId: CompactionId;
	readonly reason: CompactionReason;
	readonly phase: CompactionPhase;
	readonly focus?: string | undefined;
	/** The last turn to replace; undefined means all. */
	readonly through?: TurnId | undefined;
	/** A turn runs on until this is applied: it stays, and no call of its is cut from its result. */
	readonly besideTurn?: boolean;
	/** Tokens of the prompt that is about to be sent. */
	readonly incoming?: number;
	/** Already prepared, to be applied unchanged, and the history that it was made from; a rewrite creates a new one. */
	readonly prepared?: Prepared & { readonly history: object };
}

/** The replacement of the covered items, and its source. */
export interface Prepared {
	readonly plan: CompactionPlan;
	/** Undefined if no model wrote one. */
	readonly summary: CheckedSummary | undefined;
	readonly replacement: Replacement;
	readonly report: CompactionReport;
	/** Why another strategy than the chosen one was used, if so. */
	readonly fallback: Said | undefined;
	/** Further notes for the user. */
	readonly notes: readonly Said[];
	/** Tokens spent on it. */
	readonly spent: TokenCount;
	/** The same in money and requests, if it was made outside of a turn. */
	readonly cost?: Spent;
}
