import type { FileAccess } from "../../protocol/settings/policy-settings.ts";
import { isPattern } from "../../protocol/settings/policy-settings.ts";
import { digestValue, type Network, type Policy } from "../policy/policy.ts";
import { writesTemporary } from "./may-run.ts";
import { accessTo, protectedPart } from "./reach.ts";

const MODES = ["readOnly", "ask", "workspaceWrite", "full"] as const;
/** Writing after an approval is more than reading and less than writing. */
const RIGHTS: Readonly<Record<FileAccess, number>> = { none: 0, read: 1, write: 3 };
const ASKED = 2;

/**
 * Whether the second policy allows everything that the first one allows. If unsure, false. Places that are protected
 * because of what is on the disk are ignored: they come and go without a change of permissions.
 */
export function isWithin(inner: Policy, outer: Policy): boolean {
	if (inner === outer) return true;
	return (
		(outer.commands || !inner.commands) &&
		(outer.noSandbox !== undefined || inner.noSandbox === undefined) &&
		MODES.indexOf(inner.mode) <= MODES.indexOf(outer.mode) &&
		(inner.approval === outer.approval || outer.approval === "onRequest") &&
		(writesTemporary(outer) || !writesTemporary(inner)) &&
		isNetworkWithin(inner.network, outer.network) &&
		areFilesWithin(inner, outer) &&
		includes(inner.temporary, outer.temporary) &&
		includes(inner.secrets, outer.secrets) &&
		includes(inner.protect.names, outer.protect.names) &&
		includes(outer.protect.free, inner.protect.free) &&
		digestValue(inner.environment) === digestValue(outer.environment)
	);
}

function isNetworkWithin(inner: Network, outer: Network): boolean {
	if (inner.kind === "off" || outer.kind === "on") return true;
	if (inner.kind === "on" || outer.kind === "off") return false;
	// What the outer list blocks by name, the inner one must block by name too.
	const closes = (host: string) => host.startsWith("!");
	return (
		includes(
			outer.hosts,
			inner.hosts.filter((host) => !closes(host)),
		) && includes(inner.hosts, outer.hosts.filter(closes))
	);
}

/** Which protected places count: the names that are always protected, or also places that are there now. */
type Protected = "names" | "all";

/** Access changes only at the paths of entries, so only those need comparing. */
export function areFilesWithin(inner: Policy, outer: Policy, counts: Protected = "names"): boolean {
	const globs = (policy: Policy) => policy.filesystem.filter(isPattern).map(({ path }) => path);
	const plain = (policy: Policy) => policy.filesystem.filter((entry) => !isPattern(entry)).map(({ path }) => path);
	if (!includes(globs(inner), globs(outer))) return false;
	const shut = [inner, outer].flatMap(({ secrets, closed }) => [...secrets, ...closed.places, ...closed.except]);
	const places = [...plain(inner), ...plain(outer), ...shut];
	return places.every((place) => rightAt(inner, place, counts) <= rightAt(outer, place, counts));
}

/** How much a policy allows at a place: nothing, reading, writing after an approval, or writing. */
export function rightAt(policy: Policy, place: string, counts: Protected): number {
	const right = RIGHTS[accessTo(policy, place)];
	if (right < RIGHTS.write || policy.mode === "full") return right;
	const { filesystem, protect } = policy;
	const paths = counts === "all" ? protect.paths : [];
	return protectedPart({ filesystem, protect: { ...protect, paths } }, place) === undefined ? right : ASKED;
}

function includes(all: readonly string[], some: readonly string[]): boolean {
	const known = new Set(all);
	return some.every((one) => known.has(one));
}
