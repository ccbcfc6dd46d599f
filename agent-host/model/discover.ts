import type { ServerAccess } from "./wires/connection/send-request.ts";

/** Local model servers, by their default ports. */
const LOCAL_SERVERS: readonly LocalServer[] = [
	{ name: "Ollama", port: 11_434 },
	{ name: "LM Studio", port: 1_234 },
	{ name: "llama.cpp", port: 8_080 },
	{ name: "vLLM", port: 8_000 },
];

/** A server on the same machine answers at once, or it is not a model server. */
const DISCOVERY_MS = 800;

interface LocalServer {
	readonly name: string;
	readonly port: number;
}

export interface FoundServer {
	readonly name: string;
	readonly baseUrl: string;
	readonly models: string[];
}

/** The local servers that list models. Anything else on these ports gets one request, without a key. */
export async function discoverServers(
	effects: Pick<ServerAccess, "now" | "memory">,
	servers: readonly LocalServer[] = LOCAL_SERVERS,
	limitMs = DISCOVERY_MS,
): Promise<readonly FoundServer[]> {
	const { listModels } = await import("./wires/connection/list-models.ts");
	const found = servers.map(async ({ name, port }): Promise<readonly FoundServer[]> => {
		const baseUrl = `http://127.0.0.1:${port}/v1`;
		const secret = { auth: "apiKey", headers: "bearer", needsKey: false, secret: async () => undefined } as const;
		try {
			const models = await listModels({ baseUrl, ...secret, windowSetting: 0, ...effects }, limitMs);
			// A web page may answer too, but it lists no models.
			return models.length === 0 ? [] : [{ name, baseUrl, models: models.map(({ id }) => id) }];
		} catch {
			// Nothing is listening, or it is not a model server.
			return [];
		}
	});
	return (await Promise.all(found)).flat();
}
