import type { Identity } from "../../envelope/envelope.ts";
import { clientFor, type ModelEffects } from "../../model/client.ts";
import type { Json } from "../../store/merge-patch.ts";
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

/** Who answered in the turn of a recorded envelope. */
export function identityIn(envelope: Json | undefined): Identity | undefined {
	const { identity } = Object(envelope) as { readonly identity?: Partial<Identity> };
	const isWhole =
		typeof identity?.model === "string" &&
		typeof identity.provider === "string" &&
		typeof identity.budgets?.effective === "number" &&
		identity.request !== undefined;
	// Our own record of a sealed envelope; one of an older release lacks what is asked for here, and then counts as none.
	return isWhole ? (identity as Identity) : undefined;
}
