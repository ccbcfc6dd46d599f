import type { Policy } from "../policy/policy.ts";
import { isInside, NOTHING_CLOSED } from "./reach.ts";

/**
 * What a command may touch when the user lets it out of its sandbox: everything, protected names included, and the network.
 * Keys, passwords and our own storage stay closed, but for what the user had opened of them by name.
 */
export function escalatePolicy(policy: Policy): Policy {
	if (policy.mode === "full") return policy;
	const reopened = policy.filesystem.filter((entry) => policy.secrets.some((secret) => isInside(entry.path, secret)));
	return {
		...policy,
		mode: "full",
		temporary: [],
		closed: NOTHING_CLOSED,
		filesystem: [{ path: "/", access: "write" }, ...reopened],
		network: { kind: "on" },
	};
}
