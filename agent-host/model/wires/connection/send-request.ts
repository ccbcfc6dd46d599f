import { APIConnectionError, APIConnectionTimeoutError } from "openai/core/error";
import { KEY_PLACE } from "../../../protocol/settings/provider-settings.ts";
import type { ServerMemory } from "../../memory.ts";
import { LostConnection, type RequestPlace } from "../refusals/failure.ts";
import { encodeBody } from "./encode-body.ts";
import { readRefused } from "./http.ts";
import type { Path } from "./paths.ts";
import { ignoresProxy } from "./proxy-support.ts";
import type { Secret, SecretSource } from "./secret.ts";
import { codeIn, type Sending, type ServerAnswer, transmit } from "./transmit.ts";

export interface ServerAccess extends SecretSource {
	readonly baseUrl: string;
	/** How the server expects a key. */
	readonly headers: HeaderStyle;
	/** Headers that the user has configured; they replace ours. */
	readonly ownHeaders?: Readonly<Record<string, string>> | undefined;
	readonly now: () => number;
	readonly memory: ServerMemory;
	/** The user's context window setting; 0 if not set. */
	readonly windowSetting: number;
}

/** `anthropic` and `google`: a key in a header of its own, and the version of the API if it wants one. */
export type HeaderStyle = "bearer" | "anthropic" | "google";

/** A request below a server's base address. With a body it is a POST. */
interface ServerRequest {
	readonly path: Path;
	readonly body?: unknown;
	readonly signal: AbortSignal;
}

/** Sends one request and returns the answer as soon as it begins. Throws an `APIError` if the server refuses it. */
export async function sendRequest(
	access: ServerAccess,
	secret: Secret | undefined,
	{ path, body, signal }: ServerRequest,
): Promise<ServerAnswer> {
	const answer = await reach({
		url: addressOf(access.baseUrl, path),
		headers: headersFor(access, secret),
		body: body === undefined ? undefined : encodeBody(body),
		signal,
	});
	// A redirect is a refusal, too: the key only goes to the origin that the turn was sealed with.
	if (answer.status < 200 || answer.status > 299) throw await readRefused(answer);
	return refuseUnknownPath(await refusePage(answer));
}

/** A web app answers with its page where it has nothing. */
const PAGE = /^\s*<(?:!doctype|html|head|body)\b/i;

/** A stream may be called a page, so its beginning decides. */
async function refusePage(answer: ServerAnswer): Promise<ServerAnswer> {
	if (!/^text\/html\b/i.test(answer.headers.get("content-type") ?? "")) return answer;
	const pieces = answer.body[Symbol.asyncIterator]();
	const first = await pieces.next();
	const begun = first.done ? [] : [first.value];
	const same = { ...answer, body: repeat(begun, { [Symbol.asyncIterator]: () => pieces }) };
	if (!PAGE.test(Buffer.concat(begun).toString())) return same;
	throw await readRefused({ ...same, status: NOT_FOUND });
}

/** LM Studio answers with a success where it has nothing. */
const UNKNOWN_PATH = /^\s*\{\s*"error"\s*:\s*"Unexpected endpoint or method/;
/** That answer is short, and its length is known. */
const MAX_UNKNOWN_BYTES = 1_000;
const NOT_FOUND = 404;

async function refuseUnknownPath(answer: ServerAnswer): Promise<ServerAnswer> {
	const bytes = Number(answer.headers.get("content-length") ?? Number.NaN);
	if (!(bytes <= MAX_UNKNOWN_BYTES)) return answer;
	const parts: Uint8Array[] = [];
	for await (const part of answer.body) parts.push(part);
	const same = { ...answer, body: repeat(parts) };
	if (!UNKNOWN_PATH.test(Buffer.concat(parts).toString())) return same;
	throw await readRefused({ ...same, status: NOT_FOUND });
}

async function* repeat(
	parts: readonly Uint8Array[],
	rest: AsyncIterable<Uint8Array> | readonly Uint8Array[] = [],
): AsyncGenerator<Uint8Array> {
	yield* parts;
	yield* rest;
}

async function reach(sending: Sending): Promise<ServerAnswer> {
	try {
		const answer = await transmit(sending);
		return { ...answer, body: nameLoss(answer.body) };
	} catch (error) {
		const isLate = codeIn(error) === "ETIMEDOUT";
		throw isLate ? new APIConnectionTimeoutError() : new APIConnectionError({ cause: asError(error) });
	}
}

/** Whatever goes wrong in a body that has begun, decompression included, the rest of it is lost. */
async function* nameLoss(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	try {
		yield* body;
	} catch (error) {
		throw new LostConnection("The connection was lost.", { cause: error });
	}
}

/** Classic Azure addresses end in a query, which belongs behind the path of every request. */
function addressOf(baseUrl: string, path: Path): URL {
	const { origin, pathname, search } = new URL(baseUrl);
	const url = new URL(`${origin}${pathname.replace(/\/$/, "")}${path}`);
	url.search = [url.search, search].flatMap((query) => query.slice(1) || []).join("&");
	return url;
}

function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}

/** All headers of a request. None describes this machine, and none comes from the environment. */
export function headersFor(
	{ headers, ownHeaders = {}, baseUrl }: Pick<ServerAccess, "headers" | "ownHeaders" | "baseUrl">,
	secret: Secret | undefined,
): Readonly<Record<string, string>> {
	const own = fillHeaders(ownHeaders, secret);
	// The user says where the key belongs.
	const shown = Object.values(ownHeaders).some((value) => value.includes(KEY_PLACE)) ? undefined : secret;
	// Other servers with these APIs take the key in either header.
	const isBearer = headers === "bearer" || !MAKERS.test(new URL(baseUrl).hostname);
	return {
		accept: "application/json",
		"content-type": "application/json",
		"user-agent": "Vitrine",
		...(headers === "anthropic" && { "anthropic-version": isBearer ? COMMON_VERSION : ANTHROPIC_VERSION }),
		...(headers === "anthropic" && shown !== undefined && { "x-api-key": shown.value }),
		...(headers === "google" && shown !== undefined && { "x-goog-api-key": shown.value }),
		...(isBearer && shown !== undefined && { authorization: `Bearer ${shown.value}` }),
		...own,
	};
}

/** The user's headers with the stored key; one that needs a key is left out if there is none. */
function fillHeaders(
	headers: Readonly<Record<string, string>>,
	secret: Secret | undefined,
): Readonly<Record<string, string>> {
	const filled = Object.entries(headers).flatMap(([name, value]) => {
		if (!value.includes(KEY_PLACE)) return [[name.toLowerCase(), value]];
		return secret === undefined ? [] : [[name.toLowerCase(), value.replaceAll(KEY_PLACE, secret.value)]];
	});
	return Object.fromEntries(filled);
}

/** Anthropic's own newest version. It refuses sampling parameters, of which we send none. */
const ANTHROPIC_VERSION = "2026-10-21";
/** What the other servers with this API know. */
const COMMON_VERSION = "2023-06-01";
/** Who refuses a key that stands in a second header. */
const MAKERS = /(?:^|\.)(?:anthropic|googleapis)\.com$/;

export function describePlace(access: ServerAccess, secret: Secret | undefined, model: string): RequestPlace {
	const sent = secret === undefined ? "nothing" : access.auth === "chatgpt" ? "sign-in" : "key";
	return { origin: new URL(access.baseUrl).origin, model, sent, ...WITHOUT_PROXY };
}

/** Node reads the proxy settings once, at start. */
const WITHOUT_PROXY = ignoresProxy(process.versions.node, process.env) ? { withoutProxy: true as const } : {};
