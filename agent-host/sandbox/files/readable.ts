import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Policy } from "../../permissions/policy.ts";
import { isInside, mayRead } from "../../permissions/reach.ts";
import { entryAt, isPattern } from "../../protocol/policy.ts";

/** Whether a place may be read. Ask about where a file really lies, never about a path that may hold links. */
export type Readable = (realPath: string) => boolean;

/** Binds a policy to the disk: its paths hold for where they lead as well as for how they are spelled. */
export function readableUnder(policy: Policy): Readable {
	const real = withRealPaths(policy);
	return (path) => real.folders.some((folder) => isInside(path, folder)) && mayRead(real, path);
}

/** The policy with every path that leads elsewhere through a link named in both spellings. */
export function withRealPaths(policy: Policy): Policy {
	const seen: Seen = new Map([["/", "plain"]]);
	const both = (paths: readonly string[]) => [...new Set(paths.flatMap((path) => [path, whereItLies(path, seen)]))];
	return {
		...policy,
		filesystem: policy.filesystem.flatMap((entry) => {
			const real = isPattern(entry) ? entry.path : whereItLies(entry.path, seen);
			return real === entry.path ? [entry] : [entry, entryAt(real, entry.access)];
		}),
		folders: policy.folders.map((path) => whereItLies(path, seen)),
		secrets: both(policy.secrets),
		protect: { ...policy.protect, paths: both(policy.protect.paths), free: both(policy.protect.free) },
	};
}

/** `plain`: there, with no link on the way to it. */
type Seen = Map<string, "plain" | "missing" | "link">;

/**
 * A policy names dozens of places, next to each other and mostly missing. Looking at each part of their paths once takes a
 * tenth of the time of asking where each of them leads.
 */
function whereItLies(path: string, seen: Seen): string {
	if (lookAlong(path, seen) !== "link") return path;
	try {
		return realpathSync.native(path);
	} catch {
		return path;
	}
}

function lookAlong(path: string, seen: Seen): "plain" | "missing" | "link" {
	const known = seen.get(path);
	if (known !== undefined) return known;
	const above = dirname(path) === path ? "link" : lookAlong(dirname(path), seen);
	const state = above === "plain" ? lookAt(path) : above;
	seen.set(path, state);
	return state;
}

function lookAt(path: string): "plain" | "missing" | "link" {
	// Spelled with dots, or twice with a slash: only the system knows where that leads.
	if (/\/\.{0,2}(?:\/|$)/.test(path)) return "link";
	try {
		const stat = lstatSync(path, { throwIfNoEntry: false });
		return stat === undefined ? "missing" : stat.isSymbolicLink() ? "link" : "plain";
	} catch {
		return "link";
	}
}
