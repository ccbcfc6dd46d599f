import type { ResolvedModel } from "../envelope/resolve.ts";
import type { ModelSettings } from "../protocol/settings.ts";
import { abilitiesOf } from "./abilities.ts";
import { DEMO_MODEL, OPENAI_BASE_URL, windowOf } from "./catalog.ts";
import { ModelFailure } from "./port.ts";

/** Name, address and window of the model the settings choose, or a failure that says what to fill in. */
export function resolveModel(settings: ModelSettings): ResolvedModel | ModelFailure {
	const known = { window: windowOf(settings), ...abilitiesOf(settings) };
	switch (settings.provider) {
		case "demo":
			return { id: DEMO_MODEL.id, ...known };
		case "openai":
			if (settings.id === "") return notSetUp("No OpenAI model is chosen. Run “Vitrine: Set Up Model…”.");
			return { id: settings.id, baseUrl: OPENAI_BASE_URL, ...known };
		case "compatible":
			if (settings.baseUrl === "") {
				return notSetUp("The model server has no address. Run “Vitrine: Set Up Model…”, or set vitrine.model.baseUrl.");
			}
			if (settings.id === "")
				return notSetUp("No model is chosen. Run “Vitrine: Set Up Model…”, or set vitrine.model.id.");
			return { id: settings.id, baseUrl: settings.baseUrl, ...known };
	}
}

function notSetUp(message: string): ModelFailure {
	return new ModelFailure("model-not-set-up", message, { retryable: false });
}
