import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { isInside, mayRead } from "../../permissions/reach/reach.ts";
import { isMinimalPlace } from "../../permissions/resolve/resolve-policy.ts";
import { entryAt, isPattern } from "../../protocol/settings/policy-settings.ts";
import { followLinks, type ResolvedPath, traceLinks } from "./real-path.ts";

/** Whether a place may be read. Pass the real path of a file, never one that may contain links. */
export interface Readable {
	(realPath: string): boolean;
	/** Whether the policy closes a name, also one that only leads elsewhere. If absent, it closes none. */
	readonly isClosed?: (path: string) => boolean;
	/** Whether everything directly in an open folder is open too, so that names need no separate check. */
	readonly isAllOpen?: (folder: string) => boolean;
}

/** Binds a policy to the disk: its paths apply to their real path as well as to the path as written. */
export function readableUnder(policy: Policy, seen?: SeenPaths): Readable {
	return readableIn(withRealPaths(policy, seen));
}

/** The same for a policy that is already bound. */
export function readableIn(bound: Policy): Readable {
	const closed = bound.filesystem.filter(({ access }) => access === "none");
	const hasPatterns = closed.some(isPattern);
	const parents = new Set([...closed.map(({ path }) => path), ...bound.secrets].map((path) => dirname(path)));
	const isReadable = (path: string) => bound.folders.some((folder) => isInside(path, folder)) && mayRead(bound, path);
	return Object.assign(isReadable, {
		isClosed: (path: string) => !mayRead(bound, path),
		isAllOpen: (folder: string) => !hasPatterns && !parents.has(folder),
	});
}

/** Whether the file at a path may be read: by its real path, and by every name that leads there. */
export function isReadableAt({ real, via }: ResolvedPath, readable: Readable): boolean {
	return readable(real) && !via.some((name) => readable.isClosed?.(name) ?? false);
}

/**
 * The policy with both forms of every path that contains a link. What closes or protects a place follows every link;
 * what grants one follows none that a command can make or change, or the command would choose what is granted.
 * `seen` are paths that were examined a moment ago.
 */
export function withRealPaths(policy: Policy, seen = nothingSeen()): Policy {
	const closing = (path: string) => findRealPath(path, seen);
	const granting = createFollow(policy, seen);
	// A list without links stays the same object: what is known of it need not be computed for each command.
	const both = (paths: readonly string[], follow: (path: string) => string) => {
		const isPlain = new Set(paths).size === paths.length && paths.every((path) => follow(path) === path);
		return isPlain ? paths : [...new Set(paths.flatMap((path) => [path, follow(path)]))];
	};
	const entries = policy.filesystem.flatMap((entry) => {
		const follow = entry.access === "none" ? closing : granting;
		const real = isPattern(entry) ? entry.path : follow(entry.path);
		return real === entry.path ? [entry] : [entry, entryAt(real, entry.access)];
	});
	const closed = { places: both(policy.closed.places, closing), except: both(policy.closed.except, granting) };
	const rules = policy.rules.flatMap((rule) => {
		const { folder } = rule;
		const real = folder && (rule.decision === "deny" ? closing : granting)(folder);
		return real === folder ? [rule] : [rule, { ...rule, folder: real }];
	});
	const isSame = closed.places === policy.closed.places && closed.except === policy.closed.except;
	return {
		...policy,
		filesystem: entries.length === policy.filesystem.length ? policy.filesystem : entries,
		temporary: both(policy.temporary, closing),
		folders: policy.folders.map(granting),
		rules: rules.length === policy.rules.length ? policy.rules : rules,
		closed: isSame ? policy.closed : closed,
		secrets: both(policy.secrets, closing),
		protect: {
			...policy.protect,
			paths: both(policy.protect.paths, closing),
			free: both(policy.protect.free, granting),
		},
	};
}

/** Grants of a policy that open nothing, because a link on their way is one that a command can change. */
export function findUnfollowed(
	policy: Policy,
	seen = nothingSeen(),
): readonly { readonly path: string; readonly link: string }[] {
	const isInReach = createIsInReach(policy, seen);
	return [...new Set(listGranted(policy))].flatMap((path) => {
		const link = checkPath(path, seen) === "link" ? followLinks(path)?.links.find(isInReach) : undefined;
		return link === undefined ? [] : [{ path, link }];
	});
}

function createFollow(policy: Policy, seen: SeenPaths): (path: string) => string {
	const isInReach = createIsInReach(policy, seen);
	return (path) => {
		if (checkPath(path, seen) !== "link") return path;
		const way = followLinks(path);
		return way === undefined || way.links.some(isInReach) ? path : way.real;
	};
}

/**
 * Whether a link lies where commands of this or another turn can write. Read-only grants count, since plan mode makes
 * them of writable ones. A root that is a link itself lies elsewhere.
 */
function createIsInReach(policy: Policy, seen: SeenPaths): (link: string) => boolean {
	const named = listGranted(policy).filter((path) => path !== "/" && !isMinimalPlace(path));
	const isBelow = (places: readonly string[]) => (link: string) =>
		places.some((place) => link !== place && isInside(link, place));
	const isBelowNamed = isBelow(named);
	const real = named.flatMap((path) => {
		const way = checkPath(path, seen) === "link" ? followLinks(path) : undefined;
		return way === undefined || way.links.some(isBelowNamed) ? [] : [way.real];
	});
	return isBelow([...named, ...real]);
}

function listGranted({ folders, filesystem }: Policy): readonly string[] {
	const entries = filesystem.filter((entry) => entry.access !== "none" && !isPattern(entry));
	return [...folders, ...entries.map(({ path }) => path)];
}

/** `plain`: exists, without a link in its path. `missing`: does not exist, without a link in what exists of its path. */
export type SeenPaths = Map<string, "plain" | "missing" | "link">;

export function nothingSeen(): SeenPaths {
	return new Map([["/", "plain"]]);
}

/**
 * A policy names dozens of places, next to each other and mostly missing. Examining each part of their paths once takes
 * a tenth of the time of resolving each of them.
 */
function findRealPath(path: string, seen: SeenPaths): string {
	if (checkPath(path, seen) !== "link") return path;
	try {
		return realpathSync.native(path);
	} catch {
		// Where a file created there would be.
		const { real } = traceLinks(path);
		return existsSync(real) ? path : real;
	}
}

/** What is at a path, and on the way to it. */
export function checkPath(path: string, seen: SeenPaths): "plain" | "missing" | "link" {
	const known = seen.get(path);
	if (known !== undefined) return known;
	const above = dirname(path) === path ? "link" : checkPath(dirname(path), seen);
	const state = above === "plain" ? lookAt(path) : above;
	seen.set(path, state);
	return state;
}

function lookAt(path: string): "plain" | "missing" | "link" {
	// With dots or double slashes: only the system knows where that leads.
	if (/\/\.{0,2}(?:\/|$)/.test(path)) return "link";
	try {
		const stat = lstatSync(path, { throwIfNoEntry: false });
		return stat === undefined ? "missing" : stat.isSymbolicLink() ? "link" : "plain";
	} catch {
		return "link";
	}
}
