import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai";
import { ModelFailure } from "../../port.ts";
import { MAX_RETRY_AFTER_MS, parseRetryAfter, readPause } from "../../retry.ts";
import { classifyRefusal } from "./classify-refusal.ts";
import { readOverflow } from "./overflow.ts";
import { plainLine, type Refusal, readRefusal } from "./refusal.ts";

/** A nonsensical stream is retried once, not five times. */
const ATTEMPTS_AT_NONSENSE = 2;
const OFFLINE = new Set(["ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "ENETDOWN", "EHOSTUNREACH"]);

/** Where a request was sent, for messages to the user. Never contains the key. */
export interface RequestPlace {
	readonly origin: string;
	readonly model: string;
	/** The path that was asked, if it was that of a wire. */
	readonly path?: string;
	/** Which credentials were sent. */
	readonly sent: "key" | "sign-in" | "nothing";
	/** A proxy is set but could not be used. */
	readonly withoutProxy?: true;
}

/** The server's reason for refusing a request, or undefined if the failure was not the server's. */
export function extractRefusal(error: unknown): Refusal | undefined {
	if (!(error instanceof APIError) || error.status === undefined) return undefined;
	return readRefusal(error.status, error.error, error.message.replace(/^\d{3} /, ""));
}

/** Converts any error of the provider library to a failure with one sentence that says what to do. */
export function failureFromError(error: unknown, place: RequestPlace, now: number): ModelFailure {
	if (error instanceof ModelFailure) return error;
	if (error instanceof APIConnectionTimeoutError) {
		return new ModelFailure("network", `${place.origin} did not answer in time.`, { retryable: true });
	}
	if (error instanceof APIConnectionError) return unreachable(error, place);
	const refusal = extractRefusal(error);
	if (refusal !== undefined && error instanceof APIError) {
		return failureFromRefusal(refusal, place, parseRetryAfter(error.headers, now));
	}
	// A socket that dies in the middle of a stream surfaces as a bare TypeError, and so does a bad encoding.
	if (error instanceof TypeError) {
		return new ModelFailure("network", `The connection to ${place.origin} was lost.`, { retryable: true });
	}
	throw error;
}

/** A failure the server reports inside a stream. */
export function failureInStream(refusal: Refusal): ModelFailure {
	const said = plainLine(refusal.text);
	switch (classifyRefusal(refusal)) {
		case "too-long":
			return contextTooLong(refusal);
		case "quota":
			return new ModelFailure("rate-limit", `The account has no quota left: ${said}`, { retryable: false });
		case "rate":
			return new ModelFailure("rate-limit", `Rate limited by the server: ${said}`, {
				retryable: true,
				retryAfterMs: readPause(refusal.text),
			});
		case "auth":
			return new ModelFailure("auth", `The server rejected the key or sign-in: ${said}`, { retryable: false });
		case "model":
		case "endpoint":
			return new ModelFailure("model-not-found", `The server does not have the model: ${said}`, { retryable: false });
		case "filter":
			return filtered(said);
		case "request":
		case "elsewhere":
			return new ModelFailure("bad-request", `The server rejected the request: ${said}`, { retryable: false });
		case "server":
			return new ModelFailure("server", `The model's server failed: ${said}`, { retryable: true });
	}
}

/** The answer is not a valid model answer. */
export function nonsenseFailure(origin: string): ModelFailure {
	return new ModelFailure("bad-stream", `${origin} sent an invalid response.`, {
		retryable: true,
		attempts: ATTEMPTS_AT_NONSENSE,
	});
}

/** A piece of a call is unreadable: the rest of the call might be a different call. */
export function garbledCallFailure(): ModelFailure {
	return new ModelFailure("bad-stream", "The server sent an invalid tool call.", {
		retryable: true,
		attempts: ATTEMPTS_AT_NONSENSE,
	});
}

export function brokenStreamFailure(): ModelFailure {
	return new ModelFailure("bad-stream", "The model's answer ended early.", { retryable: true });
}

export function stoppedEarly(reason: string): ModelFailure {
	if (/^(?:content_filter|safety|recitation|sensitive|prohibited_content|blocklist)$/i.test(reason)) {
		return filtered(plainLine(reason), "bad-stream");
	}
	const message = /^(?:length|max_tokens|max_output_tokens|model_length)$/i.test(reason)
		? "The model reached its output limit before it was done. Ask it to continue."
		: `The model stopped before it was done (${plainLine(reason)}).`;
	return new ModelFailure("bad-stream", message, { retryable: false });
}

function failureFromRefusal(refusal: Refusal, place: RequestPlace, retryAfterMs: number | undefined): ModelFailure {
	const { status = 0 } = refusal;
	const said = plainLine(refusal.text);
	switch (classifyRefusal(refusal)) {
		case "too-long":
			return contextTooLong(refusal);
		case "auth":
			return new ModelFailure("auth", refused(place, status), { retryable: false });
		case "model": {
			const message = `${place.origin} does not have the model “${plainLine(place.model)}” (${status}: ${said}). Choose another one with “Vitrine: Set Up Model…”, or check vitrine.model.baseUrl.`;
			return new ModelFailure("model-not-found", message, { retryable: false });
		}
		case "endpoint":
			return new ModelFailure("model-not-found", wrongAddress(place, status, said), { retryable: false });
		case "filter":
			return filtered(said);
		case "quota":
			return new ModelFailure(
				"rate-limit",
				`The account at ${place.origin} has no quota left or reached a limit: ${said}`,
				{
					retryable: false,
				},
			);
		case "rate":
			return new ModelFailure("rate-limit", `Rate limited by ${place.origin}${pauseWords(retryAfterMs)}: ${said}`, {
				retryable: true,
				retryAfterMs: retryAfterMs ?? readPause(refusal.text),
			});
		case "elsewhere": {
			const message = `${place.origin} redirects requests (${status}). Set vitrine.model.baseUrl to the final URL.`;
			return new ModelFailure("network", message, { retryable: false });
		}
		case "server": {
			const message = `${place.origin} failed (${status})${pauseWords(retryAfterMs)}: ${said}`;
			return new ModelFailure("server", message, { retryable: true, retryAfterMs });
		}
		case "request":
			return new ModelFailure("bad-request", `${place.origin} rejected the request (${status}): ${said}`, {
				retryable: false,
			});
	}
}

/** The address is not one of the wire's: the usual cause is a server that speaks the other one. */
function wrongAddress({ origin, path }: RequestPlace, status: number, said: string): string {
	const answer = `${origin} has no ${path ?? "list of models"} (${status}: ${said}).`;
	const check = "Check that vitrine.model.baseUrl is complete; it often ends in /v1.";
	if (path === undefined) return `${answer} ${check}`;
	const other = path.endsWith("/chat/completions") ? "responses" : "chat";
	return `${answer} If the server supports the other API, set vitrine.model.wire to ${other}. ${check}`;
}

function filtered(said: string, code: "bad-request" | "bad-stream" = "bad-request"): ModelFailure {
	const message = `The provider's content filter stopped this: ${said}. Rephrase the message, or choose another model.`;
	return new ModelFailure(code, message, { retryable: false });
}

/** The length of a pause that is too long to wait for. */
function pauseWords(ms: number | undefined): string {
	if (ms === undefined || ms <= MAX_RETRY_AFTER_MS) return "";
	const minutes = Math.ceil(ms / 60_000);
	return minutes > 600 ? "; retry in a few hours" : `; retry in ${minutes} minutes`;
}

function refused(place: RequestPlace, status: number): string {
	switch (place.sent) {
		case "key":
			return `${place.origin} rejected the API key (${status}). Enter a valid key with “Vitrine: Set Up Model…”.`;
		case "sign-in":
			return `${place.origin} rejected the sign-in (${status}). Sign in again with “Vitrine: Set Up Model…”.`;
		case "nothing":
			return `${place.origin} requires an API key (${status}). Enter one with “Vitrine: Set Up Model…”.`;
	}
}

/** Node's error codes for an untrusted certificate. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ALTNAME/;

function unreachable(error: APIConnectionError, place: RequestPlace): ModelFailure {
	const cause = rootCause(error);
	if (cause !== undefined && UNTRUSTED.test(cause)) {
		const message = `The certificate of ${place.origin} is not trusted (${cause}). If your network uses its own certificate, install it in the system or set NODE_EXTRA_CA_CERTS, then restart the agent host.`;
		return new ModelFailure("network", message, { retryable: false });
	}
	if (place.withoutProxy) {
		const message = `Couldn't connect to ${place.origin}. A proxy is set, but the editor's Node version is too old to use it. Update the editor.`;
		return new ModelFailure("network", message, { retryable: false });
	}
	const message =
		cause !== undefined && OFFLINE.has(cause)
			? `Couldn't find ${place.origin} (${cause}). This machine may be offline. Check the connection and vitrine.model.baseUrl.`
			: `${place.origin} cannot be reached${cause === undefined ? "" : ` (${cause})`}. Check that the server is running and that vitrine.model.baseUrl is correct.`;
	return new ModelFailure("network", message, { retryable: true });
}

function contextTooLong(refusal: Refusal): ModelFailure {
	const message =
		"The conversation no longer fits in the model's context window. Start a new thread, or choose a model with a larger window.";
	return new ModelFailure("context-too-long", message, { retryable: false, window: readOverflow(refusal)?.window });
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
