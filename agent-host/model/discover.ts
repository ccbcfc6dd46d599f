import type { ServerAccess } from "./wires/connection/server.ts";

/** Model servers that run on one's own machine, by the ports that they choose by themselves. */
const LOCAL_SERVERS: readonly LocalServer[] = [
	{ name: "Ollama", port: 11_434 },
	{ name: "LM Studio", port: 1_234 },
	{ name: "llama.cpp", port: 8_080 },
	{ name: "vLLM", port: 8_000 },
];

/** A server on the same machine answers at once or is not one. */
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

/** The servers of this machine that list models. Whatever else listens on these ports is asked once, without a key. */
export async function discoverServers(
	effects: Pick<ServerAccess, "now" | "memory">,
	servers: readonly LocalServer[] = LOCAL_SERVERS,
): Promise<readonly FoundServer[]> {
	const { listModels } = await import("./wires/connection/server.ts");
	const found = servers.map(async ({ name, port }): Promise<readonly FoundServer[]> => {
		const baseUrl = `http://127.0.0.1:${port}/v1`;
		const nobody = { auth: "apiKey", needsKey: false, secret: async () => undefined, windowSetting: 0 } as const;
		try {
			const models = await listModels({ baseUrl, ...nobody, ...effects }, DISCOVERY_MS);
			// A page for people may well answer, but it names no model.
			return models.length === 0 ? [] : [{ name, baseUrl, models: models.map(({ id }) => id) }];
		} catch {
			// Nothing is there, or it is no model server.
			return [];
		}
	});
	return (await Promise.all(found)).flat();
}
