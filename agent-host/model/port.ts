import type { HistoryItem } from "../history/item.ts";
import type { TokenCount, TurnErrorCode } from "../protocol/events.ts";

/** One request to a model, as a value: the same for every wire. */
export interface ModelRequest {
	readonly model: string;
	readonly instructions: string;
	readonly input: readonly HistoryItem[];
	readonly tools: readonly ToolSpecification[];
	readonly cacheKey: string;
	readonly reasoningEffort?: string | undefined;
	readonly reasoningSummary: string;
	readonly serviceTier: string;
}

export interface ToolSpecification {
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a model says, as it says it. `key` names one piece of output within the response. */
export type ModelEvent =
	| { readonly type: "delta"; readonly key: string; readonly kind: "agentMessage" | "reasoning"; readonly text: string }
	| { readonly type: "item"; readonly key: string; readonly item: HistoryItem }
	/** The last event of every response that ended well. A stream without it was cut. */
	| { readonly type: "completed"; readonly usage?: TokenCount };

/** A way to reach a model. Ends by `completed`, by throwing a `ModelFailure`, or when `signal` aborts. */
export interface ModelClient {
	/** Loads what the first request needs, so that loading is not taken for a model's silence. */
	readonly ready: () => Promise<void>;
	readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
}

/** A request that failed, with a sentence for the user and what is known about trying again. */
export class ModelFailure extends Error {
	readonly code: TurnErrorCode;
	readonly retryable: boolean;
	/** What the server asked for, in milliseconds. */
	readonly retryAfterMs: number | undefined;

	constructor(code: TurnErrorCode, message: string, retry: { retryable: boolean; retryAfterMs?: number | undefined }) {
		super(message);
		this.name = "ModelFailure";
		this.code = code;
		this.retryable = retry.retryable;
		this.retryAfterMs = retry.retryAfterMs;
	}
}
