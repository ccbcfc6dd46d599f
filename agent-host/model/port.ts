import type { HistoryItem } from "../history/history-item.ts";
import { quote, type Said } from "../protocol/say.ts";
import type { TokenCount, TurnErrorCode } from "../protocol/thread/events.ts";

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
	readonly verbosity?: string | undefined;
	/** The answer must be one JSON value of this shape; where a wire cannot enforce it, the model is told so in words. */
	readonly outputSchema?: OutputSchema | undefined;
}

export interface OutputSchema {
	readonly name: string;
	readonly schema: Readonly<Record<string, unknown>>;
}

export interface ToolSpecification {
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	/** For wires on which a call can be plain text: the one field of its arguments, and the grammar of what stands there. */
	readonly freeForm?: { readonly field: string; readonly grammar: string } | undefined;
}

/** What a model says, as it says it. `key` names one piece of output within the response. */
export type ModelEvent =
	| { readonly type: "delta"; readonly key: string; readonly kind: "agentMessage" | "reasoning"; readonly text: string }
	| { readonly type: "item"; readonly key: string; readonly item: HistoryItem }
	/** More of a long text that a call will bring, such as a patch: to look at, never to act on. */
	| { readonly type: "draft"; readonly key: string; readonly text: string }
	/** The model is at work on something that is not shown piece by piece, such as the arguments of a call. */
	| { readonly type: "working" }
	/** The server lives and has nothing to say: buys a model more time, though not for ever. Nobody else hears of it. */
	| { readonly type: "alive" }
	/** The last event of every response that ended well. A stream without it was cut. */
	| { readonly type: "completed"; readonly usage?: TokenCount; readonly estimated?: true };

/** A way to reach a model. Ends by `completed`, by throwing a `ModelFailure`, or when `signal` aborts. */
export interface ModelClient {
	/** Loads what the first request needs, so that loading is not taken for a model's silence. */
	readonly ready: () => Promise<void>;
	readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
	/** Absent where the server has no such endpoint, as far as is known now. */
	readonly compact?: RemoteCompaction | undefined;
}

/** Has the server compact the input of a request. Says one sealed summary and then `completed`. */
export type RemoteCompaction = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** A request that failed, with a sentence for the user and what is known about trying again. */
export class ModelFailure extends Error {
	readonly code: TurnErrorCode;
	readonly retryable: boolean;
	/** What the server asked for, in milliseconds. */
	readonly retryAfterMs: number | undefined;
	/** Most attempts that make sense for this kind of failure, the first one included. */
	readonly attempts: number | undefined;
	/** The size of the context window, where a refusal names it. */
	readonly window: number | undefined;

	/** What the user reads, by name where the words are our own. */
	readonly said: Said;

	constructor(code: TurnErrorCode, words: string | Said, retry: RetryAdvice) {
		const said = typeof words === "string" ? quote(plainSentences(words)) : words;
		super(said.text);
		this.said = said;
		this.name = "ModelFailure";
		this.code = code;
		this.retryable = retry.retryable;
		this.retryAfterMs = retry.retryAfterMs;
		this.attempts = retry.attempts;
		this.window = retry.window;
	}
}

/** Characters of a failure that a person is shown. */
const MAX_MESSAGE_CHARS = 2_000;

/** A server's own words may be part of a message, wherever it was made. */
function plainSentences(message: string): string {
	const plain = message.slice(0, 2 * MAX_MESSAGE_CHARS).replaceAll(/(?!\n)\p{Cc}/gu, "");
	return plain.length <= MAX_MESSAGE_CHARS ? plain : `${plain.slice(0, MAX_MESSAGE_CHARS).toWellFormed()}…`;
}

export interface RetryAdvice {
	readonly retryable: boolean;
	readonly retryAfterMs?: number | undefined;
	readonly attempts?: number | undefined;
	readonly window?: number | undefined;
}
