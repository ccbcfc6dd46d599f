import { normalize } from "node:path";
import type { Network, Policy } from "../../permissions/policy/policy.ts";
import { enforcedAccess, isInside } from "../../permissions/reach/reach.ts";
import { grantsMinimal } from "../../permissions/resolve/resolve-policy.ts";
import { entryAt, isPattern } from "../../protocol/settings/policy-settings.ts";
import { withOwnTemporary } from "./own-temporary.ts";
import { type Profile, writeProfile } from "./seatbelt.ts";
import { fileRules } from "./seatbelt-rules.ts";
import { BASE, DEVICES, FULL, NETWORK, PREFERENCES, proxyOnly, ROOT_NAMES } from "./text.ts";

/** Never from the PATH. */
export const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

/** What a profile depends on besides the policy. */
export interface SeatbeltFacts {
	/** The port of the host's proxy, if one runs for this command. */
	readonly proxyPort: number | undefined;
	/** Places of the policy that are plain files, which cannot contain protected names. */
	readonly files: readonly string[];
	/** The temporary folder of the command's thread. */
	readonly temporary: string;
}

export type SeatbeltOutcome =
	| { readonly ok: true; readonly profile: Profile }
	| { readonly ok: false; readonly reason: string };

/** What a program needs to start, if a policy grants the minimal system instead of the whole disk. */
const READ_ROOTS = ["/System", "/Library/Apple", "/private/var/db/dyld", "/private/var/select"];

/** Links at the top of every Mac's disk. Seatbelt checks their targets, but policies may use either path. */
const ALIASES = ["/tmp", "/var", "/etc"];

/** The Seatbelt profile of a policy, or why there cannot be one. */
export function planSeatbelt(given: Policy, { proxyPort, files, temporary }: SeatbeltFacts): SeatbeltOutcome {
	if (given.network.kind === "allow" && proxyPort === undefined) {
		return { ok: false, reason: "Allowed sites need a proxy, and none is running here." };
	}
	const policy = withReadRoots(withOwnTemporary(withAliases(given), temporary));
	const rules = fileRules(policy, new Set(files.flatMap(listSpellings)));
	if (policy.mode === "full") return { ok: true, profile: writeProfile([FULL, ...rules]) };
	const isAllReadable = enforcedAccess(policy, "/") !== "none";
	const system = isAllReadable ? [PREFERENCES] : grantsMinimal(policy) ? [ROOT_NAMES] : [];
	const rest = [DEVICES, ...networkText(policy.network, proxyPort), ...system];
	return { ok: true, profile: writeProfile([BASE, ...rules, ...rest]) };
}

/** The whole command line. */
export function seatbeltArgs({ text, parameters }: Profile, argv: readonly string[]): readonly string[] {
	return ["-p", text, ...parameters.map(([name, value]) => `-D${name}=${value}`), "--", ...argv];
}

/** The policy with both forms of every path behind one of the system's links. */
export function withAliases(policy: Policy): Policy {
	const both = (paths: readonly string[]) => [...new Set(paths.flatMap(listSpellings))];
	const { protect } = policy;
	return {
		...policy,
		filesystem: policy.filesystem.flatMap((entry) =>
			isPattern(entry)
				? listAliases(entry.path).map((path) => ({ ...entry, path }))
				: listSpellings(entry.path).map((path) => entryAt(path, entry.access)),
		),
		temporary: both(policy.temporary),
		folders: both(policy.folders),
		closed: { places: both(policy.closed.places), except: both(policy.closed.except) },
		secrets: both(policy.secrets),
		protect: { ...protect, paths: both(protect.paths), free: both(protect.free) },
	};
}

function listSpellings(path: string): readonly string[] {
	return listAliases(withoutEnd(normalize(path)));
}

function listAliases(plain: string): readonly string[] {
	const bare = plain.startsWith("/private/") ? plain.slice("/private".length) : plain;
	if (!bare.startsWith("/") || !ALIASES.some((alias) => isInside(bare, alias))) return [plain];
	return [bare, `/private${bare}`];
}

function withoutEnd(path: string): string {
	return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function withReadRoots(policy: Policy): Policy {
	if (!grantsMinimal(policy)) return policy;
	const missing = READ_ROOTS.filter((root) => !policy.filesystem.some(({ path }) => path === root));
	return {
		...policy,
		filesystem: [...policy.filesystem, ...missing.map((path) => ({ path, access: "read" as const }))],
	};
}

function networkText(network: Network, proxyPort: number | undefined): readonly string[] {
	switch (network.kind) {
		case "off":
			return [];
		case "allow":
			return proxyPort === undefined ? [] : [proxyOnly(proxyPort)];
		case "on":
			return [NETWORK];
	}
}
