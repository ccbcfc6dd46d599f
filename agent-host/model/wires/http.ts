import { ModelFailure } from "../port.ts";
import { MAX_REFUSAL_CHARS, normalizeRefusal } from "./refusal.ts";
import { createSseDecoder, MAX_EVENT_CHARS } from "./sse.ts";

/** One message of an answer. */
export type Message =
	| { readonly kind: "message"; readonly value: unknown }
	/** Chat Completions ends its stream with a word of its own. */
	| { readonly kind: "done" }
	| { readonly kind: "nonsense" };

/** The messages of an answer: a stream of events, or one JSON value from a server that does not stream. */
export async function* openBody(response: Response): AsyncGenerator<Message> {
	const isJson = /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
	if (isJson) return yield* readWhole(response);
	const decoder = createSseDecoder();
	for await (const bytes of bodyOf(response)) {
		for (const data of decoder.push(bytes)) yield read(data);
	}
	const rest = decoder.rest();
	const last = rest === undefined ? undefined : read(rest);
	// Data that is cut in the middle is no message; data that only lacks its empty line is.
	if (last !== undefined && last.kind !== "nonsense") yield last;
}

/** A refusal with a body of bounded length, in the one shape the provider library reads. */
export async function withReadableRefusal(response: Response): Promise<Response> {
	if (response.ok) return response;
	const decoder = new TextDecoder();
	let text = "";
	for await (const bytes of bodyOf(response)) {
		text += decoder.decode(bytes, { stream: true });
		if (text.length >= MAX_REFUSAL_CHARS) break;
	}
	const { status, headers } = response;
	const body = text === "" ? undefined : JSON.stringify(normalizeRefusal(text));
	return new Response(body, { status, headers: withoutLength(headers) });
}

/** An answer that ends in an error when it is longer than anything that was asked for. */
export function withBoundedBody(response: Response, maxBytes: number): Response {
	let left = maxBytes;
	const bound = new TransformStream<Uint8Array, Uint8Array>({
		transform(bytes, out) {
			left -= bytes.length;
			if (left >= 0) out.enqueue(bytes);
			else
				out.error(new ModelFailure("bad-stream", "The server's answer is too long to be one.", { retryable: false }));
		},
	});
	const { status, headers } = response;
	return new Response(response.body?.pipeThrough(bound), { status, headers });
}

async function* readWhole(response: Response): AsyncGenerator<Message> {
	const decoder = new TextDecoder();
	const parts: string[] = [];
	let chars = 0;
	for await (const bytes of bodyOf(response)) {
		parts.push(decoder.decode(bytes, { stream: true }));
		chars += bytes.length;
		if (chars > MAX_EVENT_CHARS) return yield { kind: "nonsense" };
	}
	yield read(parts.join(""));
}

function read(data: string): Message {
	const text = data.trim();
	if (text === "[DONE]") return { kind: "done" };
	try {
		return { kind: "message", value: JSON.parse(text) };
	} catch {
		return { kind: "nonsense" };
	}
}

/** The bytes of a body. Whoever has heard enough stops, and what the connection then does is of no interest. */
async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
	const reader = response.body?.getReader();
	if (reader === undefined) return;
	try {
		for (;;) {
			const { value, done } = await reader.read();
			if (done) return;
			yield value;
		}
	} finally {
		reader.cancel().catch(() => undefined);
	}
}

// The body was decoded and rewritten: neither its old length nor its old encoding is true any more.
function withoutLength(headers: Headers): Headers {
	const kept = new Headers(headers);
	for (const name of ["content-length", "content-encoding", "transfer-encoding"]) kept.delete(name);
	return kept;
}
