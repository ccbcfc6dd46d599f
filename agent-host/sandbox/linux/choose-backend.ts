import type { Policy } from "../../permissions/policy/policy.ts";
import { protectedPart, writableRoots } from "../../permissions/reach/reach.ts";
import { type LegacyPlaces, toLegacy } from "../../permissions/resolve/legacy-policy.ts";
import { type LegacyPolicy, PolicyFile } from "../../protocol/settings/policy-file.ts";

/**
 * What the choice depends on. Whether bubblewrap works is not part of it: a weaker sandbox is never a fallback for one
 * that does not start.
 */
export interface LinuxFacts {
	/** The user requested the older Landlock backend. */
	readonly landlock: "off" | "wanted";
	/** The program that sets up Landlock, if one is installed. */
	readonly helper: string | undefined;
	readonly places: LegacyPlaces;
}

export type LinuxBackend =
	/** `reason` says why it is not Landlock. */
	| { readonly backend: "bubblewrap"; readonly reason: string }
	| { readonly backend: "landlock"; readonly helper: string; readonly mode: LegacyPolicy };

/**
 * Bubblewrap, unless Landlock was requested, is available, and can express the policy exactly. Landlock only adds
 * rights below a folder and removes none, so every carve-out needs bubblewrap; with Landlock the user gives up the
 * protection of secrets and protected names.
 */
export function chooseLinuxBackend(policy: Policy, { landlock, helper, places }: LinuxFacts): LinuxBackend {
	if (landlock === "off") return bubblewrap("Landlock was not requested.");
	if (helper === undefined) return bubblewrap("No Landlock helper is installed.");
	const mode = toLegacyPolicy(policy, places);
	if (mode === undefined) return bubblewrap("The policy is more specific than an older mode supports.");
	if (mode.sandbox_mode !== "read-only" && mode.sandbox_mode !== "workspace-write") {
		return bubblewrap("Landlock has nothing to restrict if everything is writable.");
	}
	if (opensProtected(policy))
		return bubblewrap("A protected path is partly open, which an older mode does not support.");
	return { backend: "landlock", helper, mode };
}

function opensProtected(policy: Policy): boolean {
	const roots = writableRoots(policy);
	const without = (path: string) => policy.filesystem.filter((entry) => entry.path !== path);
	return roots.some((path) => protectedPart({ ...policy, filesystem: without(path) }, path) !== undefined);
}

function toLegacyPolicy(policy: Policy, places: LegacyPlaces): LegacyPolicy | undefined {
	const { filesystem, network, protect, environment } = policy;
	const file = PolicyFile.parse({
		filesystem,
		network: network.kind === "allow" ? { allow: network.hosts } : network.kind,
		protect: protect.names.length > 0,
		environment,
	});
	return toLegacy(file, places);
}

function bubblewrap(reason: string): LinuxBackend {
	return { backend: "bubblewrap", reason };
}
