import type { Policy } from "../../permissions/policy.ts";
import { guardedRoots } from "../../permissions/reach.ts";
import { withRealPaths } from "../files/readable.ts";
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
	const bound = withRealPaths(policy);
	const found = await places.find(bound.mode === "full" ? [] : guardedRoots(bound).filter((root) => root !== "/"));
	const guarding = await protectRepositories(bound, found);
	return { policy: withRealPaths(guarding.policy), found, awaited: guarding.awaited };
}
