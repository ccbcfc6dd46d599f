import type { HistoryItem } from "../history/history-item.ts";
import { mapSaid, quote, type Said } from "../protocol/say.ts";
import type { ReasoningEffort } from "../protocol/settings/model-values.ts";
import type { TokenCount, TurnErrorCode } from "../protocol/thread/events.ts";

/** One request to a model, as a value: the same for every wire. */
export interface ModelRequest {
	readonly model: string;
	readonly instructions: string;
	readonly input: readonly HistoryItem[];
	readonly tools: readonly ToolSpecification[];
	readonly cacheKey: string;
	readonly reasoningEffort?: ReasoningEffort | undefined;
	readonly reasoningSummary: string;
	readonly serviceTier: string;
	readonly verbosity?: string | undefined;
	/** The answer must be one JSON value of this shape; if a wire cannot enforce it, the prompt asks for it. */
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
	/** For wires on which a call can be plain text: the only field of its arguments, and the grammar of its content. */
	readonly freeForm?: { readonly field: string; readonly grammar: string } | undefined;
}

/** A model's output while it streams. `key` names one piece of output within the response. */
export type ModelEvent =
	| { readonly type: "delta"; readonly key: string; readonly kind: "agentMessage" | "reasoning"; readonly text: string }
	| { readonly type: "item"; readonly key: string; readonly item: HistoryItem }
	/** More of a long text that a call will contain, such as a patch: for display, never to act on. */
	| { readonly type: "draft"; readonly key: string; readonly text: string }
	/** The model is working on something that is not streamed, such as the arguments of a call. */
	| { readonly type: "working" }
	/** The server is alive but has no output. Extends the model's time to a limit; not passed on. */
	| { readonly type: "alive" }
	/** What the server has counted so far. The last one holds for an answer that does not get to its end. */
	| { readonly type: "counted"; readonly usage: TokenCount }
	/** The last event of every successful response. A stream without it was cut off. */
	| { readonly type: "completed"; readonly usage?: TokenCount; readonly estimated?: true };

/**
 * The events of an answer. Those that arrive together are handed over together: a server sends hundreds in one piece, and
 * each handover costs more than to read an event.
 */
export type ModelStream = AsyncIterable<readonly ModelEvent[]>;

/** Access to a model. A stream ends with `completed`, by throwing a `ModelFailure`, or when `signal` aborts. */
export interface ModelClient {
	/** Loads what the first request needs, so that loading is not mistaken for a silent model. */
	readonly ready: () => Promise<void>;
	readonly stream: (request: ModelRequest, signal: AbortSignal) => ModelStream;
	/** Absent if the server is not known to have such an endpoint. */
	readonly compact?: RemoteCompaction | undefined;
	/** Counts the tokens of a request without an answer; undefined if the server does not. Absent likewise. */
	readonly count?: CountTokens | undefined;
}

export type CountTokens = (request: ModelRequest, signal: AbortSignal) => Promise<number | undefined>;

/** Lets the server compact the input of a request. Yields one sealed summary and then `completed`. */
export type RemoteCompaction = (request: ModelRequest, signal: AbortSignal) => ModelStream;

/** A failed request, with a sentence for the user and what is known about retrying. */
export class ModelFailure extends Error {
	readonly code: TurnErrorCode;
	readonly retryable: boolean;
	/** The delay the server asked for, in milliseconds. */
	readonly retryAfterMs: number | undefined;
	/** The number of attempts that make sense for this kind of failure, including the first one. */
	readonly attempts: number | undefined;
	/** The size of the context window, if a refusal names it. */
	readonly window: number | undefined;

	/** The message for the user, with its sentence name if the text is ours. */
	readonly said: Said;

	constructor(code: TurnErrorCode, words: string | Said, retry: RetryAdvice) {
		const said = mapSaid(typeof words === "string" ? quote(words) : words, plainSentences);
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

/** Length limit of a failure shown to a person. */
const MAX_MESSAGE_CHARS = 2_000;

/** A message may contain text from the server, wherever it was made. */
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
