import type { Verdict } from "../../agent-host/permissions/policy/policy.ts";

/** A verdict with its reason as the model reads it. */
export function readVerdict<V extends Verdict>({ reason, ...verdict }: V) {
	return { ...verdict, reason: reason.text };
}
