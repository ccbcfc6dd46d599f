import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { PLATFORM } from "../../platform/platform.ts";

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
 * content or existence is revealed. A place of another machine is not even looked for.
 */
export function findRealPath(path: string): ResolvedPath {
	if (PLATFORM.isElsewhere(path)) return { real: path, via: [] };
	if (!isAbsolute(path)) return { real: realOr(path), via: [] };
	const { at, via, isWhole } = walk(path);
	if (!isWhole) return { real: at, via };
	// The kernel knows links that lead elsewhere than they say, and the canonical form of each name.
	return { real: realOr(at), via: via.length === 0 && at !== path ? [path] : via };
}

/**
 * Where an absolute path leads, and every link on the way, each with the real path of the folder that it is in. Both are
 * of the same moment. Undefined if it leads to nothing.
 */
export function followLinks(path: string): { readonly real: string; readonly links: readonly string[] } | undefined {
	if (PLATFORM.isElsewhere(path) || !isAbsolute(path)) return undefined;
	const { at, links, isWhole } = walk(path);
	return isWhole ? { real: at, links } : undefined;
}

/** The same for a path that may lead to nothing: then `real` is where a file created there would be. */
export function traceLinks(path: string): { readonly real: string; readonly links: readonly string[] } {
	const { at, links } = walk(path);
	return { real: at, links };
}

interface Way {
	readonly at: string;
	readonly via: readonly string[];
	readonly links: readonly string[];
	/** Whether all of it exists. */
	readonly isWhole: boolean;
}

function walk(path: string): Way {
	const via: string[] = [];
	const links: string[] = [];
	let at = parse(path).root;
	let rest = splitPath(path);
	while (rest.length > 0) {
		const [part = "", ...others] = rest;
		rest = others;
		if (part === "..") {
			at = dirname(at);
			continue;
		}
		const next = join(at, part);
		const target = linkAt(next);
		if (target === "missing" || via.length > MAX_LINKS) return { at: join(next, ...rest), via, links, isWhole: false };
		if (target === undefined) {
			at = next;
			continue;
		}
		via.push(join(next, ...rest));
		links.push(next);
		if (PLATFORM.isElsewhere(target.to)) return { at: join(target.to, ...rest), via, links, isWhole: false };
		if (isAbsolute(target.to)) at = parse(target.to).root;
		rest = [...splitPath(target.to), ...rest];
	}
	return { at, via, links, isWhole: true };
}

function splitPath(path: string): readonly string[] {
	const below = path.slice(isAbsolute(path) ? parse(path).root.length : 0);
	return below.split(sep).filter((part) => part !== "" && part !== ".");
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
