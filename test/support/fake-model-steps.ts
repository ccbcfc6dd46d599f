import { createGate, type Gate } from "./fake-model-gate.ts";

/** A piece of streamed text, or a place where the stream waits for the test. */
export type Piece = string | Gate;

export type Part =
	| { readonly kind: "text"; readonly pieces: readonly Piece[] }
	| { readonly kind: "reasoning"; readonly pieces: readonly Piece[] }
	| {
			readonly kind: "call";
			readonly callId: string;
			readonly name: string;
			readonly pieces: readonly Piece[];
			/** The pieces are plain text, not arguments. */
			readonly freeForm?: true;
	  };

export interface Usage {
	readonly input: number;
	readonly cached: number;
	readonly output: number;
	readonly reasoning: number;
}

/** How a reply stops: properly, with a complaint of the server, or by a fault of the connection. */
export type Ending =
	| { readonly kind: "completed"; readonly usage: Usage | undefined }
	| { readonly kind: "incomplete"; readonly reason: string }
	| { readonly kind: "failed"; readonly code: string; readonly message: string }
	| { readonly kind: "error"; readonly code: string; readonly message: string }
	| { readonly kind: "eof" }
	| { readonly kind: "cut"; readonly bytes: number }
	| { readonly kind: "silence" };

export interface Reply {
	readonly kind: "reply";
	readonly parts: readonly Part[];
	readonly ending: Ending;
	/** Rendered once and sent in one write, so that the server costs a benchmark next to nothing. */
	readonly prerendered: boolean;
	/** Beside those of a stream. */
	readonly headers?: Readonly<Record<string, string>>;
}

export interface Refusal {
	readonly kind: "refusal";
	readonly status: number;
	readonly code: string;
	/** `{key}` stands for the key that came with the request: real servers echo it, whole or in part. */
	readonly message: string;
	readonly headers: Readonly<Record<string, string>>;
}

export type Step =
	| Reply
	| Refusal
	| { readonly kind: "raw"; readonly body: string }
	/** `piece` over and over, as fast as it is read, until `bytes` have gone out; then `tail`. */
	| {
			readonly kind: "pour";
			readonly head: string;
			readonly piece: string;
			readonly bytes: number;
			readonly tail: string;
	  }
	/** A body that the client must unpack with gzip. */
	| { readonly kind: "compressed"; readonly body: Buffer }
	/** A refusal in a shape of the server's own. */
	| { readonly kind: "rawRefusal"; readonly status: number; readonly body: string }
	/** The answer to a request to compact. */
	| { readonly kind: "sealed"; readonly encrypted: string; readonly usage: Usage }
	/** Takes the request and never answers, not even with headers. */
	| { readonly kind: "hang" };

/** A step that stops half way until the test lets it go on. */
export type Held = Reply & Pick<Gate, "reached" | "release"> & { readonly before: string };

const USAGE: Usage = { input: 100, cached: 0, output: 10, reasoning: 0 };
const COMPLETED: Ending = { kind: "completed", usage: USAGE };

export function says(text: string, { chunk = 8 }: { readonly chunk?: number } = {}): Reply {
	return aReply([{ kind: "text", pieces: slice(text, chunk) }]);
}

export function thinks(text: string): Reply {
	return aReply([{ kind: "reasoning", pieces: slice(text, 8) }]);
}

/** Arguments given as a string go out as they are, malformed or not. */
export function calls(name: string, args: object | string, { chunk = 12 }: { readonly chunk?: number } = {}): Reply {
	const text = typeof args === "string" ? args : JSON.stringify(args);
	return aReply([{ kind: "call", callId: nextCallId(), name, pieces: slice(text, chunk) }]);
}

/** A call in plain text, as only the Responses API has them. */
export function writes(name: string, text: string): Reply {
	return aReply([{ kind: "call", callId: nextCallId(), name, pieces: slice(text, 12), freeForm: true }]);
}

export function callsAll(all: readonly (readonly [name: string, args: object | string])[]): Reply {
	return together(...all.map(([name, args]) => calls(name, args)));
}

/** One reply with the parts of several; it ends as the last one does. */
export function together(...replies: readonly Reply[]): Reply {
	const ending = replies.at(-1)?.ending ?? COMPLETED;
	return { ...aReply(replies.flatMap((reply) => reply.parts)), ending };
}

/** Streams `before`, waits for `release()`, then streams `after` and completes. */
export function holds(before: string, after: string): Held {
	const gate = createGate();
	const reply = aReply([{ kind: "text", pieces: [...slice(before, 8), gate, ...slice(after, 8)] }]);
	return { ...reply, before, reached: gate.reached, release: gate.release };
}

/** `count` deltas, sent as fast as the connection takes them. */
export function floods(count: number, word = "word "): Reply & { readonly text: string } {
	const pieces = Array.from({ length: count }, () => word);
	return { ...aReply([{ kind: "text", pieces }]), prerendered: true, text: word.repeat(count) };
}

export function withUsage(reply: Reply, usage: Usage | undefined): Reply {
	return { ...reply, ending: { kind: "completed", usage } };
}

/** Breaks the connection after so many bytes of the body. */
export function cutsAfter(text: string, bytes: number): Reply {
	return { ...says(text), ending: { kind: "cut", bytes } };
}

export function endsWithoutCompleted(text: string): Reply {
	return { ...says(text), ending: { kind: "eof" } };
}

/** Streams the text and then says nothing more, with the connection open. */
export function fallsSilentAfter(text: string): Reply {
	return { ...says(text), ending: { kind: "silence" } };
}

export function failsInStream(code: string, message = `The server gave up: ${code}.`): Reply {
	return { ...aReply([]), ending: { kind: "failed", code, message } };
}

/** The other way servers report a failure: an `error` event instead of `response.failed`. */
export function errsInStream(code: string, message = `The server gave up: ${code}.`): Reply {
	return { ...aReply([]), ending: { kind: "error", code, message } };
}

export function incomplete(reason: string, text = ""): Reply {
	return { ...(text ? says(text) : aReply([])), ending: { kind: "incomplete", reason } };
}

export function refuses(status: number, code: string, message = `The server refused: ${code}.`): Refusal {
	return { kind: "refusal", status, code, message, headers: {} };
}

export function fails(status: number): Refusal {
	return refuses(status, "server_error");
}

export function retryAfter(status: number, seconds: number): Refusal {
	return { ...refuses(status, "rate_limit_exceeded"), headers: { "retry-after": String(seconds) } };
}

/** What a server that compacts by itself makes of a conversation. */
export function seals(encrypted: string): Step {
	return { kind: "sealed", encrypted, usage: USAGE };
}

export function hangs(): Step {
	return { kind: "hang" };
}

export function sendsGarbage(body = 'event: response.created\ndata: {"type":"response.crea\n\ndata: }{\n\n'): Step {
	return { kind: "raw", body };
}

function aReply(parts: readonly Part[]): Reply {
	return { kind: "reply", parts, ending: COMPLETED, prerendered: false };
}

function slice(text: string, size: number): readonly string[] {
	return text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? [];
}

let callCount = 0;
function nextCallId(): string {
	callCount += 1;
	return `call_${callCount}`;
}
