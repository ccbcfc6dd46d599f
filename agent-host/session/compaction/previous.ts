import type { Identity } from "../../envelope/envelope.ts";
import { clientFor, type ModelEffects } from "../../model/client.ts";
import type { Json } from "../../store/merge-patch.ts";
import { identityIn } from "../thread/last-envelope.ts";
import type { ModelInUse } from "../turn/turn.ts";

/** The model that the turn before was sealed with, when it was another one than now. */
export function previousModel(
	envelope: Json | undefined,
	now: Identity,
	effects: ModelEffects,
): ModelInUse | undefined {
	const identity = identityIn(envelope);
	if (identity === undefined) return undefined;
	const isSame = identity.model === now.model && identity.provider === now.provider && identity.baseUrl === now.baseUrl;
	return isSame ? undefined : { identity, client: clientFor(identity, effects) };
}
