import { type Said, say } from "../../protocol/say.ts";
import type { Access, EditTarget, Policy } from "../policy/policy.ts";
import { accessTo, isInside } from "../reach/reach.ts";

/** Number of files that one call may change, replace or delete before it needs an approval in every mode. */
export const MASS_CHANGE = 20;

/**
 * Why a call's effect is too wide to run without approval, whatever the mode and the rules say; undefined if it is not.
 * Effects that the sandbox prevents anyway are ignored.
 */
export function wideReach(
	access: Extract<Access, { readonly kind: "edit" | "command" }>,
	policy: Policy,
): Said | undefined {
	return access.kind === "edit" ? reachOfEdit(access.targets, policy) : reachOfCommand(access, policy);
}

function reachOfEdit(targets: readonly EditTarget[], policy: Policy): Said | undefined {
	const crossing = targets.find(({ via = [], resolved }) => via.length > 0 && !isAtHome(resolved, policy));
	if (crossing !== undefined) return say("wide-link", { path: crossing.path, target: crossing.resolved });
	const deleted = targets.filter(({ deletes }) => deletes === true).length;
	if (deleted > MASS_CHANGE) return say("wide-deletion", { files: deleted });
	return targets.length > MASS_CHANGE ? say("wide-change", { files: targets.length }) : undefined;
}

function reachOfCommand(
	{ deletes, escalated }: Extract<Access, { readonly kind: "command" }>,
	policy: Policy,
): Said | undefined {
	if (deletes === undefined) return undefined;
	const open = deletes.targets.filter((target) => escalated || accessTo(policy, target) === "write");
	const isUntold = deletes.targets.length === 0 && !deletes.isWhole;
	if (isUntold && (escalated || policy.mode !== "readOnly")) return say("deletes-unknown");
	if (open.length === 0) return undefined;
	const outside = open.find((target) => !isAtHome(target, policy));
	if (outside !== undefined) return say("deletes-outside", { path: outside });
	if (deletes.isWhole && deletes.files <= MASS_CHANGE) return undefined;
	return say(deletes.isWhole ? "deletes-up-to" : "deletes-more", { files: deletes.files });
}

/**
 * Below a folder that was named as writable, or one of the workspace. `/` being writable in full access does not count.
 */
function isAtHome(path: string, { folders, filesystem }: Policy): boolean {
	const writable = filesystem
		.filter((entry) => entry.access === "write" && entry.path !== "/")
		.map((entry) => entry.path);
	return [...folders, ...writable].some((folder) => isInside(path, folder));
}
