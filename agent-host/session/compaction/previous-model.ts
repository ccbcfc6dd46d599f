import type { Identity } from "../../envelope/envelope.ts";
import { clientFor, type ModelEffects } from "../../model/client.ts";
import type { Json } from "../../store/records/merge-patch.ts";
import { readIdentity } from "../thread/last-envelope.ts";
import type { ModelInUse } from "../thread/running-turn.ts";

/** The previous turn's model, if it differs from the current one, or is now used in another way. */
export function previousModel(
	envelope: Json | undefined,
	now: Identity,
	effects: ModelEffects,
): ModelInUse | undefined {
	const recorded = readIdentity(envelope);
	if (recorded === undefined) return undefined;
	// It is asked from here, wherever that turn was.
	const identity = { ...recorded, surface: now.surface };
	return isSameModel(identity, now) && identity.wire === now.wire
		? undefined
		: { identity, client: clientFor(identity, effects) };
}

export function isSameModel(a: Identity, b: Identity): boolean {
	return a.model === b.model && a.provider === b.provider && a.baseUrl === b.baseUrl;
}
