import type { Policy } from "../policy/policy.ts";
import { isInside, NOTHING_CLOSED } from "./reach.ts";

/**
 * The policy for a command that the user lets run outside the sandbox: everything, including protected names and the
 * network. Keys, passwords and our own storage stay closed, except what the user opened by name.
 */
export function escalatePolicy(policy: Policy): Policy {
	return policy.mode === "full" ? policy : openAll(policy);
}

/** The policy for a command on a machine without a sandbox, where nothing is limited or private. */
export function uncontainedPolicy(policy: Policy): Policy {
	return openAll(policy);
}

function openAll(policy: Policy): Policy {
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
