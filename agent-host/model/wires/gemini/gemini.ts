import { callIdsIn } from "../../../history/normalize.ts";
import type { ModelRequest, ModelStream } from "../../port.ts";
import { nameSource } from "../../sealed-for.ts";
import { mayBeSilent } from "../connection/answer.ts";
import { countTokens } from "../connection/count-tokens.ts";
import { geminiCountPath, geminiPath } from "../connection/paths.ts";
import type { ServerAccess } from "../connection/send-request.ts";
import { askServer, type ServerPlace } from "../connection/server.ts";
import { withinSight } from "../sight.ts";
import { toGeminiBody } from "./gemini-body.ts";
import { createGeminiReader } from "./gemini-events.ts";

export function streamGemini(access: ServerAccess, request: ModelRequest, signal: AbortSignal): ModelStream {
	const { model } = request;
	const reader = createGeminiReader(
		callIdsIn(request.input),
		nameSource(access.baseUrl, model, "gemini"),
		request.tools,
	);
	const body = geminiBody(access, request);
	return askServer(
		access,
		{ path: geminiPath(access.baseUrl, model), body, model, reader, mayBeSilent: mayBeSilent(request) },
		signal,
	);
}

/** The body of a request. */
export function geminiBody({ baseUrl, memory }: ServerPlace, request: ModelRequest): object {
	const { origin } = new URL(baseUrl);
	const quirks = memory.quirks(origin, request.model);
	return toGeminiBody(withinSight(request, quirks), quirks, {
		source: nameSource(baseUrl, request.model, "gemini"),
		refusedSeals: memory.refusedSeals(origin, request.model),
	});
}

/** Tokens of a request, as the server counts them. */
export function countGemini(
	access: ServerAccess,
	request: ModelRequest,
	signal: AbortSignal,
): Promise<number | undefined> {
	const { model } = request;
	const whole = { model: `models/${model.replace(/^models\//, "")}`, ...geminiBody(access, request) };
	const path = geminiCountPath(access.baseUrl, model);
	return countTokens(access, { path, body: { generateContentRequest: whole }, model }, signal);
}
