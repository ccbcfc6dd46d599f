import { APIConnectionTimeoutError } from "openai/core/error";
import * as z from "zod";
import { MAX_LISTED_MODELS } from "../../../protocol/host/host.ts";
import type { ModelFailure } from "../../port.ts";
import { failureFromError, nonsenseFailure } from "../refusals/failure.ts";
import { plainLine } from "../refusals/refusal.ts";
import { readJson } from "./http.ts";
import { modelsPath } from "./paths.ts";
import { type Secret, secretFor, withoutSecret } from "./secret.ts";
import { describePlace, type ServerAccess, sendRequest } from "./send-request.ts";

/** A model as a server lists it. */
export interface ListedModel {
	readonly id: string;
	/** Its context window, if the server reports it. */
	readonly window?: number;
	/** Whether it sees images, if the server reports it. */
	readonly images?: boolean;
	/** The API whose list this is, if its shape tells. */
	readonly api?: "gemini";
}

export const LIST_TIMEOUT_MS = 10_000;
/** More than any honest list of models has. */
const MAX_LIST_BYTES = 4_000_000;
const MAX_NAME_CHARS = 200;

const Entries = z.array(z.unknown());
/** OpenAI and Anthropic list `data`, Google and ChatGPT `models`; Together AI sends the list alone. */
const List = z.union([
	Entries,
	z
		.object({ data: Entries.optional(), models: Entries.optional() })
		.transform(({ data, models }) => data ?? models ?? []),
]);

const Named = z.looseObject({ id: z.string().min(1) });
const Gemini = z.looseObject({
	name: z.string().regex(/^models\/./),
	supportedGenerationMethods: z.array(z.string()).optional(),
});
const ChatGpt = z.looseObject({ slug: z.string().min(1), visibility: z.string().optional() });

export async function listModels(
	access: ServerAccess,
	timeoutMs: number = LIST_TIMEOUT_MS,
): Promise<readonly ListedModel[]> {
	const signal = AbortSignal.timeout(timeoutMs);
	const secret = await secretFor(access, signal);
	try {
		const path = modelsPath(access.baseUrl, access.headers);
		const { body } = await sendRequest(access, secret, { path, signal });
		const page = await readJson(body, MAX_LIST_BYTES);
		const listed = (List.safeParse(page).data ?? []).flatMap(readModel);
		return listed.filter(({ id }) => id.length <= MAX_NAME_CHARS && plainLine(id) === id).slice(0, MAX_LISTED_MODELS);
	} catch (error) {
		throw withoutSecret(listFailure(error, access, { secret, signal }), secret);
	}
}

function readModel(raw: unknown): readonly ListedModel[] {
	const named = Named.safeParse(raw).data;
	if (named !== undefined) return [{ id: named.id, ...windowIn(named), ...imagesIn(named) }];
	const gemini = Gemini.safeParse(raw).data;
	if (gemini !== undefined) {
		const answers = gemini.supportedGenerationMethods?.includes("generateContent") ?? true;
		return answers ? [{ id: gemini.name.slice("models/".length), ...windowIn(gemini), api: "gemini" }] : [];
	}
	const plan = ChatGpt.safeParse(raw).data;
	return plan === undefined || plan.visibility === "hide" ? [] : [{ id: plan.slug, ...windowIn(plan) }];
}

export function listFailure(
	error: unknown,
	access: ServerAccess,
	{ secret, signal }: { readonly secret: Secret | undefined; readonly signal: AbortSignal },
): ModelFailure {
	const place = describePlace(access, secret, "");
	if (error instanceof SyntaxError) return nonsenseFailure(place.origin);
	const late = signal.aborted ? new APIConnectionTimeoutError() : error;
	return failureFromError(late, place, access.now());
}

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
	"inputTokenLimit",
];

/** The window of a listed model: servers use different names for it. */
function windowIn(model: object): { readonly window?: number } {
	const found = WINDOW_PATHS.map((path) => valueAt(model, path)).find(
		(value) => Number.isInteger(value) && Number(value) >= 1_024,
	);
	return found === undefined ? {} : { window: Math.min(Number(found), 100_000_000) };
}

const IMAGE_PATHS = ["architecture.input_modalities", "input_modalities", "modalities.input"];

const IMAGE_FLAGS = [
	"capabilities.vision",
	"supports_vision",
	"capabilities.image_input.supported",
	"capabilities.image_input",
];

/** Whether a listed model sees images, if the server says so. */
function imagesIn(model: object): { readonly images?: boolean } {
	const inputs = IMAGE_PATHS.map((path) => valueAt(model, path)).find((value) => Array.isArray(value));
	const vision =
		inputs?.includes("image") ?? IMAGE_FLAGS.map((path) => valueAt(model, path)).find((value) => value !== undefined);
	return typeof vision === "boolean" ? { images: vision } : {};
}

function valueAt(value: unknown, path: string): unknown {
	return path.split(".").reduce<unknown>((inner, name) => {
		return typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined;
	}, value);
}
