import OpenAI, { APIConnectionTimeoutError } from "openai";
import * as z from "zod";
import { say } from "../../../protocol/say.ts";
import { LOCAL_FIRST_MS } from "../../local-server.ts";
import type { ServerMemory } from "../../memory.ts";
import { type ModelEvent, ModelFailure } from "../../port.ts";
import { extractRefusal, failureFromError, nonsenseFailure, type RequestPlace } from "../refusals/failure.ts";
import { lessonFrom, refusesStore } from "../refusals/lessons.ts";
import { readOverflow } from "../refusals/overflow.ts";
import { plainLine, type Refusal } from "../refusals/refusal.ts";
import { listSeals, refusesSeals } from "../refusals/sealed-parts.ts";
import { readAnswer, type WireReader } from "./answer.ts";
import { withBoundedBody, withReadableRefusal } from "./http.ts";
import { patienceFor } from "./patient-fetch.ts";
import { ignoresProxy } from "./proxy-support.ts";
import { type Secret, type SecretSource, secretFor, withoutSecret } from "./secret.ts";
import { replaceLoneSurrogates } from "./sse.ts";

/** What a body depends on besides the request. */
export type ServerKnowledge = Pick<ServerMemory, "quirks" | "refusedSeals">;

/** The server of a request, and what was learned about it. */
export interface ServerPlace {
	readonly baseUrl: string;
	readonly memory: ServerKnowledge;
}

export interface ServerAccess extends SecretSource {
	readonly baseUrl: string;
	/** How the server expects a key. */
	readonly headers: HeaderStyle;
	readonly now: () => number;
	readonly memory: ServerMemory;
	/** The user's context window setting; 0 if not set. */
	readonly windowSetting: number;
}

/** `anthropic`: a key in a header of its own, beside the version of the API. */
export type HeaderStyle = "bearer" | "anthropic";

export interface Question {
	readonly path: "/responses" | "/responses/compact" | "/chat/completions" | "/messages" | "/v1/messages";
	readonly body: object;
	readonly model: string;
	readonly reader: WireReader;
}

const COMPACT_PATH: Question["path"] = "/responses/compact";
const NO_ENDPOINT = new Set([404, 405]);

/** Asks one server and reads its answer. Retries and timeouts are up to the caller. */
export async function* askServer(
	access: ServerAccess,
	question: Question,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const secret = await secretFor(access, "stored", signal);
	const heard = new AbortController();
	try {
		const { origin } = new URL(access.baseUrl);
		const response = await send(access, question, secret, AbortSignal.any([signal, heard.signal]));
		yield* readAnswer(response, question.reader, { origin, signal, hangUp: () => heard.abort() });
	} catch (error) {
		signal.throwIfAborted();
		const failure =
			learnFrom(access, question, extractRefusal(error)) ??
			failureFromError(
				error,
				{ ...describePlace(access, secret, question.model), path: pathAt(access, question) },
				access.now(),
			);
		learnWindow(access, question, failure);
		throw withoutSecret(failure, secret);
	}
}

/** A model as a server lists it. */
export interface ListedModel {
	readonly id: string;
	/** Its context window, if the server reports it. */
	readonly window?: number;
	/** Whether it sees images, if the server reports it. */
	readonly images?: boolean;
}

const LIST_TIMEOUT_MS = 10_000;
/** More than any honest list of models has. */
const MAX_LIST_BYTES = 4_000_000;
/** Limits the list to models that a person can look through, with readable names. */
const MAX_MODELS = 1_000;
const MAX_NAME_CHARS = 200;

const Listed = z.array(z.unknown()).transform((all) => all.flatMap((one) => Named.safeParse(one).data ?? []));
const Named = z.looseObject({ id: z.string().min(1) });

export async function listModels(
	access: ServerAccess,
	timeoutMs: number = LIST_TIMEOUT_MS,
): Promise<readonly ListedModel[]> {
	const signal = AbortSignal.timeout(timeoutMs);
	const secret = await secretFor(access, "stored", signal);
	try {
		const page = await openClient(access, secret, MAX_LIST_BYTES).models.list({ timeout: timeoutMs, signal });
		const listed = Listed.safeParse(page.data).data ?? [];
		const shown = listed.filter(({ id }) => id.length <= MAX_NAME_CHARS && plainLine(id) === id);
		return shown.slice(0, MAX_MODELS).map((model) => ({ id: model.id, ...windowIn(model), ...imagesIn(model) }));
	} catch (error) {
		throw withoutSecret(listFailure(error, access, { secret, signal }), secret);
	}
}

/** The API that a server has. Both are asked with a request that no server runs: it names no model and has no input. */
export async function detectWire(access: ServerAccess): Promise<"responses" | "chat"> {
	const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
	const secret = await secretFor(access, "stored", signal);
	const ask = async (path: Question["path"]): Promise<unknown> => {
		try {
			const answer = await openClient(access, secret).post(path, { body: {}, signal }).asResponse();
			await answer.body?.cancel();
			return undefined;
		} catch (error) {
			return error;
		}
	};
	for (const [wire, path] of WIRE_PATHS) {
		const error = await ask(path);
		const { status = 0 } = extractRefusal(error) ?? {};
		if (error === undefined || (status >= 400 && !NO_ENDPOINT.has(status) && !NO_ACCESS.has(status))) return wire;
		const isMissing = NO_ENDPOINT.has(status) && wire !== "chat";
		if (!isMissing) throw withoutSecret(listFailure(error, access, { secret, signal }), secret);
	}
	return "chat";
}

const WIRE_PATHS = [
	["responses", "/responses"],
	["chat", "/chat/completions"],
] as const;
const NO_ACCESS = new Set([401, 403]);

function listFailure(
	error: unknown,
	access: ServerAccess,
	{ secret, signal }: { readonly secret: Secret | undefined; readonly signal: AbortSignal },
): ModelFailure {
	const place = describePlace(access, secret, "");
	if (error instanceof SyntaxError) return nonsenseFailure(place.origin);
	const late = signal.aborted ? new APIConnectionTimeoutError() : error;
	return failureFromError(late, place, access.now());
}

async function send(
	access: ServerAccess,
	{ path, body }: Question,
	secret: Secret | undefined,
	signal: AbortSignal,
): Promise<Response> {
	const post = (who: Secret | undefined) =>
		openClient(access, who)
			.post(path, { body: replaceLoneSurrogates(body), signal, stream: true })
			.asResponse();
	try {
		return await post(secret);
	} catch (error) {
		// A sign-in expires, a key does not.
		if (access.auth !== "chatgpt" || extractRefusal(error)?.status !== 401) throw error;
		const renewed = await secretFor(access, "renewed", signal);
		if (renewed === undefined || renewed.value === secret?.value) throw error;
		return post(renewed);
	}
}

/** Remembers what a refusal reveals about the server, so that the next attempt differs. */
function learnFrom(access: ServerAccess, question: Question, refusal: Refusal | undefined): ModelFailure | undefined {
	if (refusal === undefined) return undefined;
	const { memory } = access;
	const { origin } = new URL(access.baseUrl);
	if (readOverflow(refusal) !== undefined) return undefined;
	if (question.path === COMPACT_PATH && NO_ENDPOINT.has(refusal.status ?? 0) && refusal.code !== "model_not_found") {
		memory.learnQuirk(origin, question.model, "no-compact");
		return new ModelFailure("bad-request", say("no-server-compaction", { origin }), { retryable: false });
	}
	const body = question.body as Record<string, unknown>;
	if (refusesSeals(refusal)) {
		const seals = listSeals(body);
		// Reasoning only saves the model work. Without it the thread goes on; with it every request would fail.
		if (seals.length > 0) {
			memory.refuseSeals(origin, question.model, seals);
			return new ModelFailure("bad-request", say("quirk-no-seals", { origin }), { retryable: true, retryAfterMs: 0 });
		}
	}
	if (refusesStore(refusal)) {
		return new ModelFailure("bad-request", say("store-required", { origin }), { retryable: false });
	}
	const lesson = lessonFrom(refusal, body, memory.quirks(origin, question.model));
	if (lesson === undefined) return undefined;
	for (const quirk of lesson.quirks) memory.learnQuirk(origin, question.model, quirk);
	return new ModelFailure("bad-request", lesson.describe(origin), { retryable: true, retryAfterMs: 0 });
}

function learnWindow(
	{ baseUrl, memory, windowSetting: setting }: ServerAccess,
	{ model }: Question,
	failure: ModelFailure,
): void {
	const { window } = failure;
	if (window !== undefined) memory.learnModel(new URL(baseUrl).origin, model, { learned: { window, setting } });
}

function pathAt({ baseUrl }: ServerAccess, { path }: Question): string {
	return `${new URL(baseUrl).pathname.replace(/\/$/, "")}${path}`;
}

function describePlace(access: ServerAccess, secret: Secret | undefined, model: string): RequestPlace {
	const sent = secret === undefined ? "nothing" : access.auth === "chatgpt" ? "sign-in" : "key";
	return { origin: new URL(access.baseUrl).origin, model, sent, ...WITHOUT_PROXY };
}

/** Node reads the proxy settings once, at start. */
const WITHOUT_PROXY = ignoresProxy(process.versions.node, process.env) ? { withoutProxy: true as const } : {};

function openClient(access: ServerAccess, secret: Secret | undefined, maxBytes?: number): OpenAI {
	return new OpenAI({
		...splitQuery(access.baseUrl),
		// The library requires a value; without a key it is not sent.
		apiKey: secret?.value ?? "none",
		// Otherwise all of these would be read from the editor's environment.
		adminAPIKey: null,
		organization: null,
		project: null,
		webhookSecret: null,
		maxRetries: 0,
		// Our own watch decides how long a silent server is waited for.
		timeout: 2 * LOCAL_FIRST_MS,
		logLevel: "off",
		// The key only goes to the origin that the turn was sealed with: redirects are not followed.
		fetch: async (url, init) => {
			const headers = headersFor(access, secret);
			const response = await withReadableRefusal(
				await fetch(url, { ...init, ...patienceFor(access.baseUrl), headers, redirect: "manual" }),
			);
			return maxBytes === undefined ? response : withBoundedBody(response, maxBytes);
		},
	});
}

/** Classic Azure addresses end in a query, which belongs behind the path of every request. */
function splitQuery(baseUrl: string): { readonly baseURL: string; readonly defaultQuery: Record<string, string> } {
	const url = new URL(baseUrl);
	const defaultQuery = Object.fromEntries(url.searchParams);
	url.search = "";
	return { baseURL: url.href, defaultQuery };
}

/**
 * All headers of a request. The library's own headers would describe this machine, and add the content of
 * `OPENAI_CUSTOM_HEADERS` for any server.
 */
function headersFor({ headers, baseUrl }: ServerAccess, secret: Secret | undefined): Readonly<Record<string, string>> {
	const isAnthropic = headers === "anthropic";
	// Other servers with this API take the key in either header.
	const isBearer = !isAnthropic || !ANTHROPIC_HOST.test(new URL(baseUrl).hostname);
	return {
		accept: "application/json",
		"content-type": "application/json",
		"user-agent": "Vitrine",
		...(isAnthropic && { "anthropic-version": ANTHROPIC_VERSION }),
		...(isAnthropic && secret !== undefined && { "x-api-key": secret.value }),
		...(isBearer && secret !== undefined && { authorization: `Bearer ${secret.value}` }),
		...(secret?.account !== undefined && { "chatgpt-account-id": secret.account }),
	};
}

const ANTHROPIC_VERSION = "2023-06-01";
const ANTHROPIC_HOST = /(^|\.)anthropic\.com$/;

/** Where servers put the window of a listed model, the one in force before the one that is possible. */
const WINDOW_PATHS = [
	"meta.n_ctx",
	"loaded_context_length",
	"top_provider.context_length",
	"max_model_len",
	"context_window",
	"context_length",
	"max_context_length",
	"max_input_tokens",
];

/** The window of a listed model: servers use different names for it. */
function windowIn(model: object): { readonly window?: number } {
	const found = WINDOW_PATHS.map((path) => valueAt(model, path)).find(
		(value) => Number.isInteger(value) && Number(value) >= 1_024,
	);
	return found === undefined ? {} : { window: Math.min(Number(found), 100_000_000) };
}

const IMAGE_PATHS = ["architecture.input_modalities", "input_modalities", "modalities.input"];

/** Whether a listed model sees images, if the server says so. */
function imagesIn(model: object): { readonly images?: boolean } {
	const inputs = IMAGE_PATHS.map((path) => valueAt(model, path)).find((value) => Array.isArray(value));
	const vision =
		inputs?.includes("image") ?? valueAt(model, "capabilities.vision") ?? valueAt(model, "supports_vision");
	return typeof vision === "boolean" ? { images: vision } : {};
}

function valueAt(value: unknown, path: string): unknown {
	return path.split(".").reduce<unknown>((inner, name) => {
		return typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined;
	}, value);
}
