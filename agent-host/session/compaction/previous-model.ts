import type { Identity } from "../../envelope/envelope.ts";
import { clientFor, type ModelEffects } from "../../model/client.ts";
import type { Json } from "../../store/records/merge-patch.ts";
import { identityIn } from "../thread/last-envelope.ts";
import type { ModelInUse } from "../thread/running-turn.ts";

/** The model that the turn before was sealed with, when it was another one than now, or is now asked in another way. */
export function previousModel(
	envelope: Json | undefined,
	now: Identity,
	effects: ModelEffects,
): ModelInUse | undefined {
	const identity = identityIn(envelope);
	if (identity === undefined) return undefined;
	return isSameModel(identity, now) && identity.wire === now.wire
		? undefined
		: { identity, client: clientFor(identity, effects) };
}

export function isSameModel(a: Identity, b: Identity): boolean {
	return a.model === b.model && a.provider === b.provider && a.baseUrl === b.baseUrl;
}
