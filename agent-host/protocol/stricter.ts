import type { ApprovalPolicy } from "./policy.ts";

/** The stricter of two values that stand in an order, from strict to free. */
export function lower<T>(fromStrictToFree: readonly T[]): (one: T, other: T) => T {
	return (one, other) => (fromStrictToFree.indexOf(other) < fromStrictToFree.indexOf(one) ? other : one);
}

/** `untrusted` asks about more, `never` refuses what would be asked: neither is stricter in everything, so the first stays. */
export function stricterApproval(one: ApprovalPolicy, other: ApprovalPolicy): ApprovalPolicy {
	return one === "onRequest" ? other : one;
}
