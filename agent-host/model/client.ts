import type { TurnEnvelope } from "../envelope/envelope.ts";
import { createDemoClient } from "./demo.ts";
import type { ModelClient } from "./port.ts";
import type { ServerAccess } from "./responses.ts";

export interface ModelEffects {
	readonly secret: (provider: string, origin: string) => Promise<string | undefined>;
	readonly now: () => number;
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The client for a turn's provider. The provider's library is loaded with the first request, not at start. */
export function clientFor(identity: TurnEnvelope["identity"], effects: ModelEffects): ModelClient {
	const { provider, baseUrl } = identity;
	if (provider === "demo" || baseUrl === undefined) return createDemoClient(effects.pause);
	const access = accessTo(provider, baseUrl, effects);
	return {
		ready: async () => {
			await import("./responses.ts");
		},
		async *stream(request, signal) {
			const { streamResponse } = await import("./responses.ts");
			yield* streamResponse(access, request, signal);
		},
	};
}

/** The names of the models a provider's server offers. */
export async function listModels(
	provider: string,
	baseUrl: string,
	effects: Pick<ModelEffects, "secret" | "now">,
): Promise<readonly string[]> {
	const responses = await import("./responses.ts");
	return responses.listModels(accessTo(provider, baseUrl, effects));
}

function accessTo(provider: string, baseUrl: string, effects: Pick<ModelEffects, "secret" | "now">): ServerAccess {
	const { origin } = new URL(baseUrl);
	return { baseUrl, needsKey: provider === "openai", key: () => effects.secret(provider, origin), now: effects.now };
}
