import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";

/** Where a path leads. */
export interface ResolvedPath {
	/** With all links resolved, also if nothing exists: a file created there would have this path. */
	readonly real: string;
	/** The paths that were followed on the way, each with one more link resolved. */
	readonly via: readonly string[];
}

/** The same limit as in Linux. */
const MAX_LINKS = 40;

/**
 * Resolves an absolute path, whatever is there. It never fails, so that access to a place can be decided before its
 * content or existence is revealed.
 */
export function findRealPath(path: string): ResolvedPath {
	const via: string[] = [];
	let at: string = sep;
	let rest = splitPath(path);
	if (!path.startsWith(sep)) return { real: realOr(path), via };
	while (rest.length > 0) {
		const [part = "", ...others] = rest;
		rest = others;
		if (part === "..") {
			at = dirname(at);
			continue;
		}
		const next = join(at, part);
		const target = linkAt(next);
		if (target === "missing" || via.length > MAX_LINKS) return { real: join(next, ...rest), via };
		if (target === undefined) {
			at = next;
			continue;
		}
		via.push(join(next, ...rest));
		if (isAbsolute(target.to)) at = sep;
		rest = [...splitPath(target.to), ...rest];
	}
	// The kernel knows links that lead elsewhere than they say, and the canonical form of each name.
	return { real: realOr(at), via: via.length === 0 && at !== path ? [path] : via };
}

function splitPath(path: string): readonly string[] {
	return path.split(sep).filter((part) => part !== "" && part !== ".");
}

function linkAt(path: string): { readonly to: string } | "missing" | undefined {
	try {
		return lstatSync(path).isSymbolicLink() ? { to: readlinkSync(path) } : undefined;
	} catch {
		return "missing";
	}
}

function realOr(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		return path;
	}
}
