import type { Identity, TurnEnvelope } from "../../envelope/envelope.ts";
import { type Held, heldFromEnvelope } from "../../envelope/kept-contract.ts";
import type { Json } from "../../store/records/merge-patch.ts";

/** The model and server of a recorded envelope. */
export function readIdentity(envelope: Json | undefined): Identity | undefined {
	const { identity } = Object(envelope) as { readonly identity?: Partial<Identity> };
	const isWhole =
		typeof identity?.model === "string" &&
		typeof identity.provider === "string" &&
		typeof identity.budgets?.effective === "number" &&
		identity.request !== undefined;
	// Our own record of a sealed envelope; one of an older release lacks some of these fields and is then ignored.
	return isWhole ? (identity as Identity) : undefined;
}

/** The settings of the last turn, for threads of older releases. */
export function readHeld(envelope: Json | undefined): Held | undefined {
	const { policy } = Object(envelope) as Partial<Pick<TurnEnvelope, "policy">>;
	const identity = readIdentity(envelope);
	return identity === undefined || policy?.value?.network === undefined
		? undefined
		: heldFromEnvelope({ identity, policy });
}

/** The workspace of a thread's last turn. */
export function readWorkspace(envelope: Json | undefined): TurnEnvelope["workspace"] | undefined {
	return (Object(envelope) as Partial<Pick<TurnEnvelope, "workspace">>).workspace;
}

/** The folders whose own instructions applied in a thread's last turn. */
export function readNestedFolders(envelope: Json | undefined): readonly string[] {
	const { instructions } = Object(envelope) as Partial<Pick<TurnEnvelope, "instructions">>;
	const folders: unknown = instructions?.nested?.folders;
	return Array.isArray(folders) ? folders.filter((folder) => typeof folder === "string") : [];
}
