import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { ModelFailure } from "./port.ts";
import { parseRetryAfter } from "./retry.ts";

const MAX_DETAIL_CHARS = 300;

/** Where a request went, for the sentences the user reads. Never holds the key. */
export interface RequestPlace {
	readonly origin: string;
	readonly model: string;
	readonly keySent: boolean;
}

/** Turns whatever the provider library throws into a failure with one sentence that says what to do. */
export function failureFromError(error: unknown, place: RequestPlace, now: number): ModelFailure {
	if (error instanceof ModelFailure) return error;
	if (error instanceof APIConnectionTimeoutError) {
		return new ModelFailure("network", `${place.origin} did not answer in time.`, { retryable: true });
	}
	if (error instanceof APIConnectionError) return unreachable(error, place);
	if (error instanceof APIError) {
		return error.status === undefined
			? failureFromCode(error.code ?? undefined, detailOf(error))
			: failureFromStatus(error.status, error, place, now);
	}
	if (error instanceof SyntaxError) {
		return new ModelFailure("bad-stream", `${place.origin} sent something that is not a model's answer.`, {
			retryable: true,
		});
	}
	// A socket that dies in the middle of a stream surfaces as a bare TypeError.
	if (error instanceof TypeError) {
		return new ModelFailure("network", `The connection to ${place.origin} was lost.`, { retryable: true });
	}
	throw error;
}

/** A failure the server reports inside a stream, by its code. */
export function failureFromCode(code: string | undefined, detail: string): ModelFailure {
	const said = shorten(detail);
	switch (code) {
		case "context_length_exceeded":
			return contextTooLong();
		case "insufficient_quota":
			return new ModelFailure("rate-limit", `The account has no quota left: ${said}`, { retryable: false });
		case "rate_limit_exceeded":
			return new ModelFailure("rate-limit", `The server limits the rate of requests: ${said}`, { retryable: true });
		case "invalid_prompt":
			return new ModelFailure("bad-request", `The server refused the request: ${said}`, { retryable: false });
		default:
			return new ModelFailure("server", `The model's server failed: ${said}`, { retryable: true });
	}
}

function failureFromStatus(status: number, error: APIError, place: RequestPlace, now: number): ModelFailure {
	const said = detailOf(error);
	const retryAfterMs = parseRetryAfter(error.headers, now);
	if (error.code === "context_length_exceeded") return contextTooLong();
	if (status === 401 || status === 403) {
		const message = place.keySent
			? `${place.origin} refused the API key (${status}). Enter a valid key with “Vitrine: Set Up Model…”.`
			: `${place.origin} asks for an API key (${status}). Enter one with “Vitrine: Set Up Model…”.`;
		return new ModelFailure("auth", message, { retryable: false });
	}
	if (status === 404) {
		const message = `${place.origin} does not know the model “${place.model}”. Choose another with “Vitrine: Set Up Model…”.`;
		return new ModelFailure("model-not-found", message, { retryable: false });
	}
	if (status === 429) {
		const message = `${place.origin} limits the rate of requests: ${said}`;
		return new ModelFailure("rate-limit", message, { retryable: error.code !== "insufficient_quota", retryAfterMs });
	}
	if (status >= 300 && status < 400) {
		const message = `${place.origin} sends requests elsewhere (${status}). Set vitrine.model.baseUrl to the final address.`;
		return new ModelFailure("network", message, { retryable: false });
	}
	if (status >= 500 || status === 408) {
		return new ModelFailure("server", `${place.origin} failed (${status}): ${said}`, { retryable: true, retryAfterMs });
	}
	return new ModelFailure("bad-request", `${place.origin} refused the request (${status}): ${said}`, {
		retryable: false,
	});
}

function unreachable(error: APIConnectionError, place: RequestPlace): ModelFailure {
	const cause = rootCause(error);
	const message = `${place.origin} cannot be reached${cause === undefined ? "" : ` (${cause})`}. Check that the server runs and that vitrine.model.baseUrl is right.`;
	return new ModelFailure("network", message, { retryable: true });
}

function contextTooLong(): ModelFailure {
	const message =
		"The conversation no longer fits the model's context window. Start a new thread, or choose a model with a larger window.";
	return new ModelFailure("context-too-long", message, { retryable: false });
}

function rootCause(error: unknown): string | undefined {
	let current: unknown = error;
	let code: string | undefined;
	for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
		if ("code" in current && typeof current.code === "string") code = current.code;
		current = current.cause;
	}
	return code;
}

function detailOf(error: APIError): string {
	return shorten(error.message.replace(/^\d{3} /, ""));
}

function shorten(text: string): string {
	const line = text.replaceAll(/\s+/g, " ").trim();
	return line.length <= MAX_DETAIL_CHARS ? line : `${line.slice(0, MAX_DETAIL_CHARS)}…`;
}
