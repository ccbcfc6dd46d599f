import { APIConnectionError, APIConnectionTimeoutError, APIError } from "openai/core/error";
import { type Said, say } from "../../../protocol/say.ts";
import { isLocalServer } from "../../local-server.ts";
import { ModelFailure } from "../../port.ts";
import { readRateLimits, untilGranted } from "../../rate-limits.ts";
import { MAX_RETRY_AFTER_MS, parseRetryAfter, readPause } from "../../retry.ts";
import { classifyRefusal, isForbidden, isLongLimit } from "./classify-refusal.ts";
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

/** An answer that began and will not end. */
export class LostConnection extends Error {}

/** The server's reason for refusing a request, or undefined if the failure was not the server's. */
export function extractRefusal(error: unknown): Refusal | undefined {
	if (!(error instanceof APIError) || error.status === undefined) return undefined;
	return readRefusal(error.status, error.error, error.message.replace(/^\d{3} /, ""));
}

/** Converts any error of a request to a failure with one sentence that says what to do. */
export function failureFromError(error: unknown, place: RequestPlace, now: number): ModelFailure {
	if (error instanceof ModelFailure) return error;
	if (error instanceof APIConnectionTimeoutError) {
		return new ModelFailure("network", say("server-slow", { origin: place.origin }), { retryable: true });
	}
	if (error instanceof APIConnectionError) return unreachable(error, place);
	const refusal = extractRefusal(error);
	if (refusal !== undefined && error instanceof APIError) {
		return failureFromRefusal(refusal, place, readWait(error.headers, refusal, now));
	}
	if (error instanceof LostConnection) {
		return new ModelFailure("network", say("connection-lost", { origin: place.origin }), { retryable: true });
	}
	throw error;
}

/** The pause that a server asks for: by its own word, else until what is used up is granted again. */
function readWait(
	headers: Pick<Headers, "get"> | undefined,
	{ status, text }: Refusal,
	now: number,
): number | undefined {
	const asked = parseRetryAfter(headers, now) ?? (status === 429 ? readPause(text) : undefined);
	return asked ?? (status === 429 ? untilGranted(readRateLimits(headers, now), now) : undefined);
}

/** A failure the server reports inside a stream. */
export function failureInStream(refusal: Refusal): ModelFailure {
	const said = plainLine(refusal.text);
	switch (classifyRefusal(refusal)) {
		case "too-long":
			return contextTooLong(refusal);
		case "quota":
			return new ModelFailure("rate-limit", say("no-quota", { said }), { retryable: false });
		case "rate": {
			const retryAfterMs = readPause(refusal.text);
			return new ModelFailure("rate-limit", say("rate-limited", { said }), {
				retryable: retryAfterMs !== undefined || !isLongLimit(refusal),
				retryAfterMs,
			});
		}
		case "auth":
			return new ModelFailure("auth", say("secret-rejected", { said }), { retryable: false });
		case "model":
		case "endpoint":
			return new ModelFailure("model-not-found", say("model-unknown", { said }), { retryable: false });
		case "filter":
			return filtered(said);
		case "call":
			return garbledCallFailure();
		case "request":
		case "elsewhere":
			return new ModelFailure("bad-request", say("request-rejected", { said }), { retryable: false });
		case "server":
			return new ModelFailure("server", say("server-failed", { said }), { retryable: true });
	}
}

/** The answer is not a valid model answer. */
export function nonsenseFailure(origin: string): ModelFailure {
	return new ModelFailure("bad-stream", say("answer-invalid", { origin }), {
		retryable: true,
		attempts: ATTEMPTS_AT_NONSENSE,
	});
}

/** A piece of a call is unreadable: the rest of the call might be a different call. */
export function garbledCallFailure(): ModelFailure {
	return new ModelFailure("bad-stream", say("call-invalid"), {
		retryable: true,
		attempts: ATTEMPTS_AT_NONSENSE,
	});
}

export function brokenStreamFailure(): ModelFailure {
	return new ModelFailure("bad-stream", say("answer-cut"), { retryable: true });
}

/** Nothing was said and nothing called: to ask again helps now and then. */
export function emptyAnswerFailure(): ModelFailure {
	return new ModelFailure("bad-stream", say("answer-empty"), { retryable: true, attempts: ATTEMPTS_AT_NONSENSE });
}

const FULL = "model_context_window_exceeded";
const LIMITED = /^(?:length|max_tokens|max_output_tokens|model_length)$/i;
/** Google adds its own word to that of another wire. */
const WITHHELD =
	/^(?:content_filter(?:: \w+)?|safety|recitation|sensitive|guardrail_intervened|(?:image_)?prohibited_content|blocklist|spii|image_safety)$/i;

/** Whether a reason for the end of an answer means that something is missing; servers use various ones for a normal end. */
export function isEarlyStop(reason: string): boolean {
	return reason === FULL || reason === "refusal" || LIMITED.test(reason) || WITHHELD.test(reason);
}

export function stoppedEarly(reason: string): ModelFailure {
	if (reason === FULL) return new ModelFailure("context-too-long", say("context-too-long"), { retryable: false });
	if (WITHHELD.test(reason)) return filtered(plainLine(reason), "bad-stream");
	const message = LIMITED.test(reason) ? say("output-limit") : say("model-stopped", { reason: plainLine(reason) });
	return new ModelFailure("bad-stream", message, { retryable: false });
}

function failureFromRefusal(refusal: Refusal, place: RequestPlace, retryAfterMs: number | undefined): ModelFailure {
	const { status = 0 } = refusal;
	if (status === PROXY_SIGN_IN) return failureOfProxy(place.origin, status);
	const at = { origin: place.origin, status };
	const said = plainLine(refusal.text);
	switch (classifyRefusal(refusal)) {
		case "too-long":
			return contextTooLong(refusal);
		case "auth":
			return new ModelFailure(
				"auth",
				isForbidden(refusal) ? say("request-forbidden", { ...at, said }) : refused(place, at),
				{
					retryable: false,
				},
			);
		case "model": {
			const message = say("model-unknown-at", { ...at, said, model: plainLine(place.model) });
			return new ModelFailure("model-not-found", message, { retryable: false });
		}
		case "endpoint":
			return new ModelFailure("model-not-found", wrongAddress(place, { ...at, said }), { retryable: false });
		case "filter":
			return filtered(said);
		case "call":
			return garbledCallFailure();
		case "quota":
			return new ModelFailure("rate-limit", say("no-quota-at", { origin: place.origin, said }), {
				retryable: false,
			});
		case "rate":
			return new ModelFailure("rate-limit", sayRateLimited({ origin: place.origin, said }, retryAfterMs), {
				retryable: retryAfterMs !== undefined || !isLongLimit(refusal),
				retryAfterMs,
			});
		case "elsewhere": {
			const message = say("server-redirects", at);
			return new ModelFailure("network", message, { retryable: false });
		}
		case "server": {
			const message = sayServerFailed({ ...at, said }, retryAfterMs);
			return new ModelFailure("server", message, { retryable: true, retryAfterMs });
		}
		case "request":
			return new ModelFailure("bad-request", say("request-rejected-at", { ...at, said }), {
				retryable: false,
			});
	}
}

/** The address is not one of the wire's: the usual cause is a server that speaks another one. */
function wrongAddress(
	{ path }: RequestPlace,
	at: { readonly origin: string; readonly status: number; readonly said: string },
): Said {
	if (path === undefined) return say("no-model-list", at);
	const other = path.endsWith("/chat/completions") ? "responses" : "chat";
	return say("no-endpoint", { ...at, path, other });
}

function filtered(said: string, code: "bad-request" | "bad-stream" = "bad-request"): ModelFailure {
	return new ModelFailure(code, say("content-filtered", { said: said.replace(/\.$/, "") }), { retryable: false });
}

function sayRateLimited(place: { readonly origin: string; readonly said: string }, ms: number | undefined): Said {
	const pause = readLongPause(ms);
	if (pause === undefined) return say("rate-limited-at", place);
	if (pause === "hours") return say("rate-limited-hours", place);
	return say("rate-limited-minutes", { ...place, minutes: pause });
}

function sayServerFailed(
	place: { readonly origin: string; readonly status: number; readonly said: string },
	ms: number | undefined,
): Said {
	const pause = readLongPause(ms);
	if (pause === undefined) return say("server-failed-at", place);
	if (pause === "hours") return say("server-failed-hours", place);
	return say("server-failed-minutes", { ...place, minutes: pause });
}

/** The length of a pause that is too long to wait for, in minutes. */
function readLongPause(ms: number | undefined): number | "hours" | undefined {
	if (ms === undefined || ms <= MAX_RETRY_AFTER_MS) return undefined;
	const minutes = Math.ceil(ms / 60_000);
	return minutes > 600 ? "hours" : minutes;
}

function refused(place: RequestPlace, at: { readonly origin: string; readonly status: number }): Said {
	switch (place.sent) {
		case "key":
			return say("key-rejected", at);
		case "sign-in":
			return say("sign-in-rejected", at);
		case "nothing":
			return say("key-required", at);
	}
}

/** The status with which a proxy, and only a proxy, asks for a password. */
const PROXY_SIGN_IN = 407;

function failureOfProxy(origin: string, status: number): ModelFailure {
	const isSignIn = status === PROXY_SIGN_IN;
	const message = isSignIn ? say("proxy-sign-in", { origin }) : say("proxy-failed", { origin, status });
	return new ModelFailure("network", message, { retryable: !isSignIn });
}

/** Node's error codes for an untrusted certificate. */
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ALTNAME/;

/** OpenSSL's words for an answer in plain HTTP. */
const WITHOUT_TLS = /wrong version number|packet length too long/;

function unreachable(error: APIConnectionError, place: RequestPlace): ModelFailure {
	const { code: cause, status, text = "" } = rootCause(error);
	const { origin } = place;
	// All other headers are checked when they are set.
	if (cause === "ERR_INVALID_CHAR") return new ModelFailure("auth", say("key-unsendable"), { retryable: false });
	if (cause !== undefined && UNTRUSTED.test(cause)) {
		const message = say("certificate-untrusted", { origin, cause });
		return new ModelFailure("network", message, { retryable: false });
	}
	// Farther away it may be a proxy that has no TLS, and nobody should send a key there without it.
	if (cause === "EPROTO" && WITHOUT_TLS.test(text) && isLocalServer(origin)) {
		return new ModelFailure("network", say("server-without-tls", { origin }), { retryable: false });
	}
	if (cause === "ERR_PROXY_TUNNEL" && status !== undefined) return failureOfProxy(origin, status);
	if (place.withoutProxy) {
		const message = say("proxy-unusable", { origin });
		return new ModelFailure("network", message, { retryable: false });
	}
	const message =
		cause !== undefined && OFFLINE.has(cause)
			? say("server-not-found", { origin, cause })
			: cause === undefined
				? say("server-unreachable", { origin })
				: say("server-unreachable-why", { origin, cause });
	return new ModelFailure("network", message, { retryable: true });
}

function contextTooLong(refusal: Refusal): ModelFailure {
	const message = say("context-too-long");
	return new ModelFailure("context-too-long", message, { retryable: false, window: readOverflow(refusal)?.window });
}

interface RootCause {
	readonly code?: string;
	readonly status?: number;
	readonly text?: string;
}

/** Node's code and words of what went wrong first, and the status that a proxy answered with. */
function rootCause(error: unknown): RootCause {
	let current: unknown = error;
	let found: RootCause = {};
	for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
		if ("code" in current && typeof current.code === "string")
			found = { ...found, code: current.code, text: current.message };
		if ("statusCode" in current && typeof current.statusCode === "number")
			found = { ...found, status: current.statusCode };
		current = current.cause;
	}
	return found;
}
