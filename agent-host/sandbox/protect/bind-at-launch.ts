import { dirname, isAbsolute } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { guardedRoots, isClosedByDefault, isPrivate } from "../../permissions/reach/reach.ts";
import { entryAt } from "../../protocol/settings/policy-settings.ts";
import { nothingSeen, withRealPaths } from "../../workspace/files/readable.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import { findOtherNames } from "./hard-links.ts";
import type { Found, HarmfulPlaces } from "./harmful-places.ts";
import { protectRepositories } from "./version-control.ts";

/** A policy bound to the current state of the disk. */
export interface BoundPolicy {
	readonly policy: Policy;
	/** Harmful files and folders below the writable roots. */
	readonly found: Found;
	/** Missing files that a repository would obey if they existed. */
	readonly awaited: readonly string[];
	/** A configuration of Git that is too long to be read or leads to too many places. */
	readonly unread: string | undefined;
}

/** Resolves all paths, and protects the existing repositories. The closed places were already resolved for the turn. */
export async function bindAtLaunch(policy: Policy, places: HarmfulPlaces): Promise<BoundPolicy> {
	const seen = nothingSeen();
	const bound = withOwnPrograms(withRealPaths(policy, seen));
	const found = await places.find(bound.mode === "full" ? [] : watchedRoots(bound));
	const guarding = await protectRepositories(bound, found);
	const protectedOnes = withRealPaths(guarding.policy, seen);
	const others = bound.mode === "full" ? [] : await findOtherNames(protectedOnes);
	const { awaited, unread } = guarding;
	return { policy: withProtected(protectedOnes, others), found, awaited, unread };
}

/**
 * The roots of a bound policy below which new places are looked for. What is reached through a link has its real path
 * among them: under both, a placeholder would be found again under a name that nobody knows, and set aside in vain.
 */
export function watchedRoots(bound: Policy): readonly string[] {
	const roots = guardedRoots(bound).filter((root) => root !== "/");
	return roots.filter((root) => {
		const { real } = findRealPath(root);
		return real === root || !roots.includes(real);
	});
}

function withProtected(policy: Policy, places: readonly string[]): Policy {
	if (places.length === 0) return policy;
	return { ...policy, protect: { ...policy.protect, paths: [...policy.protect.paths, ...places] } };
}

/**
 * If the extension is installed in a temporary or home folder, it stays visible there together with its runtime:
 * commands may call `apply_patch`.
 */
function withOwnPrograms(policy: Policy): Policy {
	// If the program was passed as text, the second word is not a path.
	const programs = [process.execPath, process.argv[1] ?? ""]
		.filter(isAbsolute)
		.map((path) => dirname(findRealPath(path).real));
	const isHidden = (folder: string) =>
		isPrivate(policy, folder) || (!policy.closed.places.includes(folder) && isClosedByDefault(policy, folder));
	const hidden = [...new Set(programs)].filter((folder) => isHidden(folder) && !policy.temporary.includes(folder));
	if (hidden.length === 0) return policy;
	return { ...policy, filesystem: [...policy.filesystem, ...hidden.map((folder) => entryAt(folder, "read"))] };
}
