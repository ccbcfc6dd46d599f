import { createHash } from "node:crypto";
import type { Policy } from "./policy.ts";

/** One name for a policy value: equal digests mean that words, verdicts and sandbox come from the same value. */
export function digestPolicy(policy: Policy): string {
	return digestValue(policy);
}

/** A digest that does not depend on the order of keys. All 256 bits: nobody can prepare two values that share one. */
export function digestValue(value: unknown): string {
	return createHash("sha256")
		.update(JSON.stringify(sortKeys(value)))
		.digest("hex");
}

function sortKeys(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sortKeys);
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(entries.map(([key, part]) => [key, sortKeys(part)]));
}
