import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";

/** Where a path leads. */
export interface Where {
	/** With every link resolved, also when nothing is there: what would be made there would lie there. */
	readonly real: string;
	/** The spellings that were followed on the way, each of them through one link more. */
	readonly via: readonly string[];
}

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/**
 * Finds out where an absolute path leads, whatever is there. It never fails, so that what is said of a place can be decided
 * before anything is said about what is in it, or whether it exists.
 */
export function findRealPath(path: string): Where {
	const via: string[] = [];
	let at: string = sep;
	let rest = partsOf(path);
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
		rest = [...partsOf(target.to), ...rest];
	}
	// The kernel knows links that lead elsewhere than they say, and one spelling for each name.
	return { real: realOr(at), via: via.length === 0 && at !== path ? [path] : via };
}

function partsOf(path: string): readonly string[] {
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
