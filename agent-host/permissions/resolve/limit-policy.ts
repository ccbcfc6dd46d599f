import type { Managed, ManagedLimits } from "../../protocol/settings/managed-limits.ts";
import { isPattern, lower, PermissionMode, type PolicyEntry } from "../../protocol/settings/policy-settings.ts";
import type { ManagedPolicy, Policy } from "../policy/policy.ts";
import { isInside } from "../reach/reach.ts";
import { asReadOnly, expandEntries, type PolicyPlaces } from "./resolve-policy.ts";

/**
 * The policy without what the machine's administrator closed. Nothing below a closed place is opened again, no matter
 * who named it.
 */
export function limitPolicy(policy: Policy, managed: readonly Managed[], places: PolicyPlaces): Policy {
	if (managed.length === 0) return policy;
	const paths = managed.flatMap(({ limits }) => limits.denyRead ?? []);
	const closed = expandEntries(
		paths.map((path) => ({ path, access: "none" as const })),
		places,
	);
	const limited = managed.reduce((so, { limits }) => limitMode(so, limits), policy);
	return {
		...limited,
		filesystem: limited.filesystem.length === 0 ? [] : closeAll(limited.filesystem, closed),
		managed: managed.map(toManagedPolicy),
	};
}

/** The settings are limited before; a policy file is not. */
function limitMode(policy: Policy, { mode = "full", network = "on", allowedDomains }: ManagedLimits): Policy {
	const narrow = narrowerMode(policy.mode, mode);
	const hosts = allowedDomains ?? (network === "allowList" ? [] : undefined);
	const filesystem = narrow === "readOnly" ? policy.filesystem.map(asReadOnly) : policy.filesystem;
	if (network === "off") return { ...policy, mode: narrow, filesystem, network: { kind: "off" } };
	const isOpen = policy.network.kind === "on" && hosts !== undefined;
	return { ...policy, mode: narrow, filesystem, ...(isOpen && { network: { kind: "allow", hosts } }) };
}

const narrowerMode = lower(PermissionMode.options);

function closeAll(entries: readonly PolicyEntry[], closed: readonly PolicyEntry[]): readonly PolicyEntry[] {
	const places = closed.filter((entry) => !isPattern(entry));
	const isClosed = ({ path }: PolicyEntry) => places.some((place) => isInside(path, place.path));
	return [...entries.filter((entry) => entry.access === "none" || !isClosed(entry)), ...closed];
}

function toManagedPolicy({ file, limits }: Managed): ManagedPolicy {
	return {
		file,
		...(limits.allowedDomains && { hosts: limits.allowedDomains }),
		...(limits.network === "off" && { hosts: [] }),
		...(limits.sandbox && { sandbox: limits.sandbox }),
	};
}
