import * as z from "zod";
import type { KnownModel } from "./memory.ts";

// What a local server has loaded is not what its list of models says: Ollama and LM Studio load a model with a window
// of their own choice. No key is sent.

/** Where a kind of server says what is loaded. */
const SERVERS = {
	Ollama: { port: "11434", path: "/api/ps", read: readOllama },
	"LM Studio": { port: "1234", path: "/api/v0/models", read: readLmStudio },
} as const;

export type LocalKind = keyof typeof SERVERS;

/** A local server answers at once. */
const ASK_MS = 800;
/** Time for Ollama to load a model; the first request would have to wait for it, too. */
const LOAD_MS = 60_000;
/** More than any honest list of models has. */
const MAX_ANSWER_BYTES = 4_000_000;

/** The kind of local server behind an address, by its usual port. */
export function recognizeLocalServer(baseUrl: string): LocalKind | undefined {
	const { port } = new URL(baseUrl);
	return KINDS.find((kind) => SERVERS[kind].port === port);
}

const KINDS = Object.keys(SERVERS) as readonly LocalKind[];

/**
 * The window that a server has loaded the model with, and whether it sees images; nothing if the server does not say.
 * Ollama is asked to load the model first: it would silently cut what does not fit.
 */
export async function askLoadedModel(kind: LocalKind, baseUrl: string, model: string): Promise<KnownModel> {
	const { origin } = new URL(baseUrl);
	const { path, read } = SERVERS[kind];
	const ask = async () => read(await request(`${origin}${path}`, ASK_MS), model);
	const found = await ask();
	if (found.served !== undefined || kind !== "Ollama") return found;
	await loadInOllama(origin, model);
	return ask();
}

async function loadInOllama(origin: string, model: string): Promise<void> {
	// Without a prompt it only loads. If that fails, the request itself will say why.
	await request(`${origin}/api/generate`, LOAD_MS, { model, stream: false });
}

/** The JSON that a server answers with. With a body it is a POST. */
async function request(url: string, timeMs: number, body?: object): Promise<unknown> {
	const [{ transmit }, { readJson }] = await Promise.all([
		import("./wires/connection/transmit.ts"),
		import("./wires/connection/http.ts"),
	]);
	const sent = body === undefined ? undefined : [Buffer.from(JSON.stringify(body))];
	const signal = AbortSignal.timeout(timeMs);
	try {
		const answer = await transmit({ url: new URL(url), headers: HEADERS, body: sent, signal });
		return answer.status === 200 ? await readJson(answer.body, MAX_ANSWER_BYTES) : undefined;
	} catch {
		// Another server, or none: then nothing is known.
		return undefined;
	}
}

const HEADERS = { accept: "application/json", "content-type": "application/json", "user-agent": "Vitrine" };

const Window = z.int().min(512).max(100_000_000);
const Loaded = z.object({
	models: z.array(z.object({ model: z.string(), context_length: Window.optional().catch(undefined) })),
});

function readOllama(answer: unknown, id: string): KnownModel {
	const { models } = Loaded.safeParse(answer).data ?? { models: [] };
	const names = new Set([id, `${id}:latest`]);
	const served = models.find(({ model }) => names.has(model))?.context_length;
	return served === undefined ? {} : { served };
}

const Listed = z.object({
	data: z.array(
		z.object({
			id: z.string(),
			type: z.string().optional().catch(undefined),
			loaded_context_length: Window.optional().catch(undefined),
		}),
	),
});

function readLmStudio(answer: unknown, id: string): KnownModel {
	const found = Listed.safeParse(answer).data?.data.find((model) => model.id === id);
	if (found === undefined) return {};
	const { type, loaded_context_length: served } = found;
	return { ...(served === undefined ? {} : { served }), ...(type === undefined ? {} : { images: type === "vlm" }) };
}
