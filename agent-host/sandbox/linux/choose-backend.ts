import type { Policy } from "../../permissions/policy/policy.ts";
import { protectedPart, writableRoots } from "../../permissions/reach/reach.ts";
import { type LegacyPlaces, toLegacy } from "../../permissions/resolve/legacy-policy.ts";
import { type LegacyPolicy, PolicyFile } from "../../protocol/settings/policy-file.ts";

/**
 * What the choice depends on. Whether bubblewrap works is not among it: a sandbox that holds less is never a fallback for
 * one that does not start.
 */
export interface LinuxFacts {
	/** The user asked for the older Landlock backend by name. */
	readonly landlock: "off" | "wanted";
	/** The program that sets Landlock up, when one is installed. */
	readonly helper: string | undefined;
	readonly places: LegacyPlaces;
}

export type LinuxBackend =
	/** `reason` says why it is not Landlock. */
	| { readonly backend: "bubblewrap"; readonly reason: string }
	| { readonly backend: "landlock"; readonly helper: string; readonly mode: LegacyPolicy };

/**
 * Bubblewrap, unless Landlock was asked for, is there, and can say exactly what the policy says. Landlock only adds rights
 * below a folder and takes none away, so every carve-out needs bubblewrap; with Landlock the user gives up that secrets
 * and protected names are held.
 */
export function chooseLinuxBackend(policy: Policy, { landlock, helper, places }: LinuxFacts): LinuxBackend {
	if (landlock === "off") return bubblewrap("Landlock was not requested.");
	if (helper === undefined) return bubblewrap("No Landlock helper is installed.");
	const mode = legacyOf(policy, places);
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

function legacyOf(policy: Policy, places: LegacyPlaces): LegacyPolicy | undefined {
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
