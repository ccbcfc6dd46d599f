import type { Wire } from "../../../protocol/settings/model-values.ts";
import type { ModelFailure } from "../../port.ts";
import { extractRefusal } from "../refusals/failure.ts";
import { NO_ENDPOINT } from "./learn-from-refusal.ts";
import { LIST_TIMEOUT_MS, listFailure, listModels } from "./list-models.ts";
import { messagesPath, type Path } from "./paths.ts";
import { type Secret, secretFor, withoutSecret } from "./secret.ts";
import { type ServerAccess, sendRequest } from "./send-request.ts";

/** Makers whose own API is the better one where they have two. */
const MAKERS: readonly (readonly [host: RegExp, path: RegExp, wire: Wire])[] = [
	[/(?:^|\.)anthropic\.com$/, /./, "messages"],
	[/(?:^|\.)generativelanguage\.googleapis\.com$/, /^(?!.*\/openai\/?$)/, "gemini"],
];

/**
 * The API that a server has. Each is asked with a request that no server runs: it names no model and has no input.
 * Gemini's is recognized by its list of models.
 */
export async function detectWire(access: ServerAccess): Promise<Wire> {
	const { hostname, pathname } = new URL(access.baseUrl);
	const made = MAKERS.find(([host, path]) => host.test(hostname) && path.test(pathname))?.[2];
	if (made !== undefined) return made;
	const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
	const secret = await secretFor(access, signal);
	let missing: ModelFailure | undefined;
	for (const [wire, path] of pathsAt(access.baseUrl)) {
		const asked: ServerAccess = { ...access, headers: wire === "messages" ? "anthropic" : "bearer" };
		const answer = await ask(asked, path, secret, signal);
		if (answer === "there") return wire;
		const failure = withoutSecret(listFailure(answer.error, asked, { secret, signal }), secret);
		if (!NO_ENDPOINT.has(answer.status)) throw failure;
		// Chat Completions is what most servers have, so its failure says most.
		if (wire === "chat") missing = failure;
	}
	const google: ServerAccess = { ...access, headers: "google" };
	const listed = await listModels(google).catch((error: ModelFailure) => (error.code === "auth" ? error : []));
	if (!Array.isArray(listed)) throw listed;
	if (listed.some(({ api }) => api === "gemini")) return "gemini";
	throw missing;
}

function pathsAt(baseUrl: string): readonly (readonly [Wire, Path])[] {
	return [
		["responses", "/responses"],
		["chat", "/chat/completions"],
		["messages", messagesPath(baseUrl)],
	];
}

const NO_ACCESS = new Set([401, 403]);

type Answer = "there" | { readonly status: number; readonly error: unknown };

async function ask(access: ServerAccess, path: Path, secret: Secret | undefined, signal: AbortSignal): Promise<Answer> {
	const known = new AbortController();
	try {
		await sendRequest(access, secret, { path, body: {}, signal: AbortSignal.any([signal, known.signal]) });
		return "there";
	} catch (error) {
		const { status = 0 } = extractRefusal(error) ?? {};
		const isThere = status >= 400 && !NO_ENDPOINT.has(status) && !NO_ACCESS.has(status);
		return isThere ? "there" : { status, error };
	} finally {
		known.abort();
	}
}
