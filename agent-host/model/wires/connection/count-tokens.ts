import * as z from "zod";
import { extractRefusal } from "../refusals/failure.ts";
import { readJson } from "./http.ts";
import { NO_ENDPOINT } from "./learn-from-refusal.ts";
import type { Path } from "./paths.ts";
import { secretFor } from "./secret.ts";
import { type ServerAccess, sendRequest } from "./send-request.ts";

const MAX_ANSWER_BYTES = 100_000;

const Tokens = z.int().min(1).max(100_000_000);
/** Anthropic's name for it, and Google's. */
const Counted = z.union([
	z.object({ input_tokens: Tokens }).transform(({ input_tokens }) => input_tokens),
	z.object({ totalTokens: Tokens }).transform(({ totalTokens }) => totalTokens),
]);

/**
 * Asks a server how many tokens a request has. Nobody depends on it: whatever goes wrong, there is no count. A server
 * without the endpoint is not asked again.
 */
export async function countTokens(
	access: ServerAccess,
	{ path, body, model }: { readonly path: Path; readonly body: object; readonly model: string },
	signal: AbortSignal,
): Promise<number | undefined> {
	try {
		const secret = await secretFor(access, signal);
		const answer = await sendRequest(access, secret, { path, body, signal });
		return Counted.safeParse(await readJson(answer.body, MAX_ANSWER_BYTES)).data;
	} catch (error) {
		const { status = 0 } = extractRefusal(error) ?? {};
		if (NO_ENDPOINT.has(status)) access.memory.learnQuirk(new URL(access.baseUrl).origin, model, "no-count");
		return undefined;
	}
}
