import type { TurnEnvelope } from "../envelope/envelope.ts";
import { createDemoClient } from "./demo.ts";
import type { ModelClient } from "./port.ts";

export interface ModelEffects {
	readonly secret: (provider: string) => Promise<string | undefined>;
	readonly now: () => number;
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The client for a turn's provider. The provider's library is loaded when it is first needed, not at start. */
export async function clientFor(identity: TurnEnvelope["identity"], effects: ModelEffects): Promise<ModelClient> {
	const { provider, baseUrl } = identity;
	if (provider === "demo" || baseUrl === undefined) return createDemoClient(effects.pause);
	const { createResponsesClient } = await import("./responses.ts");
	const needsKey = provider === "openai";
	return createResponsesClient({ baseUrl, needsKey, key: () => effects.secret(provider), now: effects.now });
}
