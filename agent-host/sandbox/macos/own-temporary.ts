import type { Policy } from "../../permissions/policy/policy.ts";
import { writesTemporary } from "../../permissions/reach/may-run.ts";
import { accessTo, sharedPlaces } from "../../permissions/reach/reach.ts";
import { entryAt } from "../../protocol/settings/policy-settings.ts";

/**
 * The policy with the machine's temporary folders closed and the thread's own open. Nothing can be mounted here, so
 * commands find it through TMPDIR.
 */
export function withOwnTemporary(policy: Policy, folder: string): Policy {
	if (policy.temporary.length === 0) return policy;
	const closed = policy.temporary.map((path) => entryAt(path, "none"));
	const shared = sharedPlaces(policy).map((path) => entryAt(path, accessTo(policy, path)));
	const own = entryAt(folder, writesTemporary(policy) ? "write" : "read");
	return {
		...policy,
		temporary: [],
		filesystem: [...policy.filesystem, ...closed, ...shared, own],
		protect: { ...policy.protect, free: [...policy.protect.free, folder] },
	};
}
