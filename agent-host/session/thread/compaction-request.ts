import type { CompactionPlan } from "../../compaction/plan-compaction.ts";
import type { Replacement } from "../../compaction/replacement.ts";
import type { CheckedSummary } from "../../compaction/summary-contract.ts";
import type { Said } from "../../protocol/say.ts";
import type {
	CompactionId,
	CompactionPhase,
	CompactionReason,
	CompactionReport,
} from "../../protocol/thread/compaction.ts";
import type { Spent, TokenCount } from "../../protocol/thread/events.ts";

/** A compaction that is wanted: by whom, when, of what. */
export interface CompactionRequest {
	readonly compactionId: CompactionId;
	readonly reason: CompactionReason;
	readonly phase: CompactionPhase;
	readonly focus?: string | undefined;
	/** Items to replace, from the first on; all of them when undefined. */
	readonly cut?: number | undefined;
	/** Tokens of the prompt that waits to be sent. */
	readonly incoming?: number;
	/** Made before, and now to be applied as it is. */
	readonly prepared?: Prepared;
}

/** What would stand in the place of the covered items, and what it was made from. */
export interface Prepared {
	readonly plan: CompactionPlan;
	/** Undefined when no model wrote one. */
	readonly summary: CheckedSummary | undefined;
	readonly replacement: Replacement;
	readonly report: CompactionReport;
	/** What the user is told of it besides. */
	readonly notes: readonly Said[];
	/** What asking for it cost. */
	readonly spent: TokenCount;
	/** The same in money and requests, when it was asked for outside of a turn. */
	readonly cost?: Spent;
}
