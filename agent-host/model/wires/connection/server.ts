import { APIError } from "openai/core/error";
import type { ServerMemory } from "../../memory.ts";
import type { ModelEvent, ModelStream } from "../../port.ts";
import { readRateLimits } from "../../rate-limits.ts";
import { emptyAnswerFailure, extractRefusal, failureFromError } from "../refusals/failure.ts";
import { type Question, readAnswer } from "./answer.ts";
import { learnFrom, learnWindow } from "./learn-from-refusal.ts";
import { type Secret, secretFor, withoutSecret } from "./secret.ts";
import { describePlace, type ServerAccess, sendRequest } from "./send-request.ts";
import type { ServerAnswer } from "./transmit.ts";

/** What a body depends on besides the request. */
export type ServerKnowledge = Pick<ServerMemory, "quirks" | "refusedSeals">;

/** The server of a request, and what was learned about it. */
export interface ServerPlace {
	readonly baseUrl: string;
	readonly memory: ServerKnowledge;
	readonly auth?: ServerAccess["auth"];
}

/** Made once: every answer ends with it, and without a reason each would make an error of its own. */
const HUNG_UP = new Error("The host hung up.");

/** Asks one server and reads its answer. Retries and timeouts are up to the caller. */
export async function* askServer(
	access: ServerAccess,
	question: Question,
	signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[]> {
	const secret = await secretFor(access, signal);
	const heard = new AbortController();
	try {
		const { origin } = new URL(access.baseUrl);
		const answer = await send(access, question, secret, AbortSignal.any([signal, heard.signal]));
		noteLimits(access, question, answer.headers);
		const events = readAnswer(answer.body, question.reader, { origin, signal, hangUp: () => heard.abort(HUNG_UP) });
		yield* question.mayBeSilent ? events : refuseEmpty(events);
	} catch (error) {
		heard.abort(HUNG_UP);
		signal.throwIfAborted();
		if (error instanceof APIError) noteLimits(access, question, error.headers);
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

/** A prompt needs an answer: reasoning without words or calls is none. */
async function* refuseEmpty(stream: ModelStream): AsyncGenerator<readonly ModelEvent[]> {
	let isEmpty = true;
	for await (const events of stream) {
		isEmpty &&= !events.some(isAnswer);
		const refused = isEmpty && events.at(-1)?.type === "completed";
		yield refused ? events.flatMap(asUnfinished) : events;
		if (refused) throw emptyAnswerFailure();
	}
}

function asUnfinished(event: ModelEvent): readonly ModelEvent[] {
	if (event.type !== "completed") return [event];
	return event.usage === undefined ? [] : [{ type: "counted", usage: event.usage }];
}

function isAnswer(event: ModelEvent): boolean {
	if (event.type === "delta") return event.kind === "agentMessage" && event.text.trim() !== "";
	if (event.type !== "item" || event.item.kind === "reasoning") return false;
	return event.item.kind !== "agentMessage" || event.item.text.trim() !== "";
}

function noteLimits(
	{ baseUrl, memory, now }: ServerAccess,
	{ model }: Question,
	headers: ServerAnswer["headers"] | undefined,
): void {
	memory.noteRateLimits(new URL(baseUrl).origin, model, readRateLimits(headers, now()));
}

async function send(
	access: ServerAccess,
	{ path, body }: Question,
	secret: Secret | undefined,
	signal: AbortSignal,
): Promise<ServerAnswer> {
	const post = (who: Secret | undefined) => sendRequest(access, who, { path, body, signal });
	try {
		return await post(secret);
	} catch (error) {
		// A sign-in expires, a key does not.
		if (access.auth !== "chatgpt" || secret === undefined || extractRefusal(error)?.status !== 401) throw error;
		const renewed = await secretFor(access, signal, secret?.value);
		if (renewed === undefined || renewed.value === secret.value) throw error;
		return post(renewed);
	}
}

function pathAt({ baseUrl }: ServerAccess, { path }: Question): string {
	return `${new URL(baseUrl).pathname.replace(/\/$/, "")}${path}`;
}
