import { dirname, isAbsolute } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { guardedRoots, isClosedByDefault, isPrivate } from "../../permissions/reach/reach.ts";
import { entryAt } from "../../protocol/settings/policy-settings.ts";
import { type SeenPaths, withRealPaths } from "../../workspace/files/readable.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import type { Found, HarmfulPlaces } from "./harmful-places.ts";
import { protectRepositories } from "./version-control.ts";

/** A policy as the disk is now. */
export interface BoundPolicy {
	readonly policy: Policy;
	/** What lies below the writable roots and does harm wherever it lies. */
	readonly found: Found;
	/** Names that a repository would obey if there were such a file. */
	readonly awaited: readonly string[];
}

/** Names every place where it really lies, and protects the repositories that are there. The turn's own binding knows what is closed. */
export async function bindAtLaunch(policy: Policy, places: HarmfulPlaces): Promise<BoundPolicy> {
	const seen: SeenPaths = new Map();
	const bound = withOwnPrograms(withRealPaths(policy, seen));
	const found = await places.find(bound.mode === "full" ? [] : guardedRoots(bound).filter((root) => root !== "/"));
	const guarding = await protectRepositories(bound, found);
	return { policy: withRealPaths(guarding.policy, seen), found, awaited: guarding.awaited };
}

/** An extension that is installed among temporary files or in a home folder is seen there, with what runs it: commands may call `apply_patch`. */
function withOwnPrograms(policy: Policy): Policy {
	// Of a program that was given as text, the second word is no path.
	const programs = [process.execPath, process.argv[1] ?? ""]
		.filter(isAbsolute)
		.map((path) => dirname(findRealPath(path).real));
	const isHidden = (folder: string) =>
		isPrivate(policy, folder) || (!policy.closed.places.includes(folder) && isClosedByDefault(policy, folder));
	const hidden = [...new Set(programs)].filter((folder) => isHidden(folder) && !policy.temporary.includes(folder));
	if (hidden.length === 0) return policy;
	return { ...policy, filesystem: [...policy.filesystem, ...hidden.map((folder) => entryAt(folder, "read"))] };
}
