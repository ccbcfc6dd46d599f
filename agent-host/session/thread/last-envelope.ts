import type { Identity, TurnEnvelope } from "../../envelope/envelope.ts";
import { type Held, heldFromEnvelope } from "../../envelope/kept-contract.ts";
import type { Json } from "../../store/records/merge-patch.ts";

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

/** What a thread of an older release ran with last. */
export function heldIn(envelope: Json | undefined): Held | undefined {
	const { policy } = Object(envelope) as Partial<Pick<TurnEnvelope, "policy">>;
	const identity = identityIn(envelope);
	return identity === undefined || policy?.value?.network === undefined
		? undefined
		: heldFromEnvelope({ identity, policy });
}

/** What was open when a thread's last turn ran. */
export function workspaceIn(envelope: Json | undefined): TurnEnvelope["workspace"] | undefined {
	return (Object(envelope) as Partial<Pick<TurnEnvelope, "workspace">>).workspace;
}
