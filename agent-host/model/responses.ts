import OpenAI from "openai";
import { failureFromError, type RequestPlace } from "./failure.ts";
import { type ModelEvent, ModelFailure, type ModelRequest } from "./port.ts";
import { readResponsesEvent } from "./responses-events.ts";
import { toResponsesBody } from "./responses-input.ts";

const LIST_TIMEOUT_MS = 10_000;

export interface ServerAccess {
	readonly baseUrl: string;
	/** Asked for anew with every request and not kept. */
	readonly key: () => Promise<string | undefined>;
	/** Whether the server answers nobody without a key. */
	readonly needsKey: boolean;
	readonly now: () => number;
}

/** Asks one server over the Responses API. Retries and time limits are the caller's. */
export async function* streamResponse(
	access: ServerAccess,
	request: ModelRequest,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const key = await keyFor(access, signal);
	try {
		yield* readStream(openClient(access, key), request, signal);
	} catch (error) {
		signal.throwIfAborted();
		throw withoutKey(failureFromError(error, placeOf(access, key, request.model), access.now()), key);
	}
}

/** The models a server names. */
export async function listModels(access: ServerAccess): Promise<readonly string[]> {
	const key = await keyFor(access, AbortSignal.timeout(LIST_TIMEOUT_MS));
	try {
		const page = await openClient(access, key).models.list({ timeout: LIST_TIMEOUT_MS });
		return page.data.map((model) => model.id);
	} catch (error) {
		throw withoutKey(failureFromError(error, placeOf(access, key, ""), access.now()), key);
	}
}

async function* readStream(client: OpenAI, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
	const stream = await client.responses.create(toResponsesBody(request), { signal });
	for await (const raw of stream) {
		const event = readResponsesEvent(raw);
		if (event === undefined) continue;
		yield event;
		if (event.type === "completed") return;
	}
	signal.throwIfAborted();
	// The library ends its loop without an error when the server closes the stream early.
	throw new ModelFailure("bad-stream", "The model's answer broke off before its end.", { retryable: true });
}

async function keyFor(access: ServerAccess, signal: AbortSignal): Promise<string | undefined> {
	// Whoever is asked may never answer; a turn must be able to end all the same.
	const stopped = new Promise<never>((_, reject) => {
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
	});
	const key = await Promise.race([access.key(), stopped]);
	if (key !== undefined || !access.needsKey) return key;
	const message = "No API key is stored. Enter one with “Vitrine: Set Up Model…”.";
	throw new ModelFailure("auth", message, { retryable: false });
}

// A server may repeat the key in what it says about it.
function withoutKey(failure: ModelFailure, key: string | undefined): ModelFailure {
	if (key === undefined || !failure.message.includes(key)) return failure;
	return new ModelFailure(failure.code, failure.message.replaceAll(key, "[key]"), failure);
}

function placeOf(access: ServerAccess, key: string | undefined, model: string): RequestPlace {
	return { origin: new URL(access.baseUrl).origin, model, keySent: key !== undefined };
}

function openClient(access: ServerAccess, key: string | undefined): OpenAI {
	return new OpenAI({
		baseURL: access.baseUrl,
		// Local servers take none, but the library insists on a value.
		apiKey: key ?? "none",
		// All of these would otherwise be read from the environment of the editor.
		organization: null,
		project: null,
		webhookSecret: null,
		maxRetries: 0,
		logLevel: "off",
		// The key goes to the one origin the turn was sealed with: a redirect is an answer, not an order.
		fetch: (url, init) => fetch(url, { ...init, redirect: "manual" }),
	});
}
