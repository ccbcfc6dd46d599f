import { accessSync, constants, type Dirent, lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { NESTED_NAMES } from "../../permissions/policy/protected-names.ts";
import { isInside, isProtectedName } from "../../permissions/reach/reach.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import { visitEntries } from "../../workspace/files/visit-entries.ts";
import { tryReadlink } from "./try-readlink.ts";

/**
 * What makes other programs run code, or instructs an agent, wherever it is: a repository, which an editor opens as
 * soon as a file next to it is open, and configuration of editors and agents, which count once the folder is opened.
 * No mount can guard them before they exist, because their location is unknown.
 */
const REPOSITORIES: readonly string[] = [".git", ".hg", ".svn", ".jj", ".sl", ".bzr", ".pijul"];
const WORKSPACE_FILES: readonly string[] = ["*.code-workspace"];

/** Packages contain the configuration of their authors, which nobody follows there. */
const OF_OTHERS = new Set(["node_modules", "vendor", ".venv", "venv", "site-packages"]);

/** Limit for the folders below the writable roots; in a larger tree we could not tell what a command has left there. */
export const MAX_FOLDERS = 500_000;
/** Folders visited without a break. */
const PIECE = 500;
/** A folder that changed this shortly before it was read may have changed again within the same clock tick. */
export const TICK_MS = 50;

/**
 * `bare`: a Git directory with another name, recognized by its HEAD; without that file it is an ordinary folder.
 * `unreadable`: a folder or link whose name is not text, so that nothing can look into it. `link`: leads to temporary
 * files of commands, where repositories may be. `closed`: a folder that not even its owner can look into now.
 */
export type HarmfulKind = "repository" | "bare" | "other" | "unreadable" | "link" | "closed";

export interface HarmfulPlaces {
	/** Harmful places below these folders, by path; the names that are protected directly in them are left out. */
	readonly find: (roots: readonly string[]) => Promise<Found>;
}

export interface Found {
	readonly places: ReadonlyMap<string, HarmfulKind>;
	/** False if there were too many folders to visit. */
	readonly isWhole: boolean;
	/** True if no folder has changed since the last time. */
	readonly isUnchanged: boolean;
}

interface Listed {
	/** The folder's identity and last change, by a clock that no command can set; undefined if unreliable. */
	readonly stamp: Stamp | undefined;
	/** The folders in it, by path. */
	readonly folders: readonly string[];
	readonly found: readonly (readonly [name: string, kind: HarmfulKind])[];
}

type Stamp = Readonly<Record<"dev" | "ino" | "ctimeMs", number>>;

/** Number of root sets whose folders are remembered: those of commands that run in parallel. */
const MAX_REMEMBERED = 4;

/** Caches its results: an unchanged folder is not read again. `temporary`: the folder with the temporary files of threads. */
export function createHarmfulPlaces(temporary?: string, maxFolders = MAX_FOLDERS): HarmfulPlaces {
	const own = temporary && findRealPath(temporary).real;
	const remembered = new Map<string, ReadonlyMap<string, Listed>>();
	return {
		find: async (roots) => {
			const key = roots.join("\0");
			const known = remembered.get(key) ?? new Map<string, Listed>();
			let isUnchanged = true;
			const seen = new Map<string, Listed>();
			const places = new Map<string, HarmfulKind>();
			const queue = [...roots];
			for (let next = 0; next < queue.length && seen.size < maxFolders; next += 1) {
				const folder = queue[next] ?? "";
				if (seen.has(folder)) continue;
				const before = known.get(folder);
				const looked = look(folder, before, roots, own);
				const listed = looked instanceof Promise ? await looked : looked;
				isUnchanged &&= listed === before;
				seen.set(folder, listed);
				if (listed === CLOSED && !roots.includes(folder)) places.set(folder, "closed");
				for (const path of listed.folders) queue.push(path);
				for (const [name, kind] of listed.found) {
					const isMounted = roots.includes(folder) && (kind === "repository" || kind === "other");
					if (!isMounted) places.set(join(folder, name), kind);
				}
				if (seen.size % PIECE === 0) await new Promise(setImmediate);
			}
			remembered.delete(key);
			remembered.set(key, seen);
			const [oldest] = remembered.keys();
			if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
			return { places, isWhole: seen.size < maxFolders, isUnchanged };
		},
	};
}

/** What must be read-only to keep a place unchanged. */
export function toReadOnlyPlace(place: string, kind: HarmfulKind): string {
	return kind === "bare" ? dirname(place) : place;
}

const NOTHING: Listed = { stamp: undefined, folders: [], found: [] };
const CLOSED: Listed = { ...NOTHING };

interface Surroundings {
	/** Whether a link leads to temporary files of commands. */
	readonly whereTo: (path: string) => Where;
	/** Whether the folder is part of a package. */
	readonly isForeign: () => boolean;
}

/** What lies above a root says nothing: the user works in it. So does an inner root in a folder of packages. */
function isOfOthers(folder: string, roots: readonly string[]): boolean {
	const around = roots.filter((root) => isInside(folder, root)).sort((a, b) => b.length - a.length);
	return relative(around[0] ?? "/", folder)
		.split(sep)
		.some((part) => OF_OTHERS.has(part));
}

/** At once, unless the folder is a large one. What is gone holds nothing. */
function look(
	folder: string,
	before: Listed | undefined,
	roots: readonly string[],
	own: string | undefined,
): Listed | Promise<Listed> {
	const stamp = stampOf(folder);
	if (stamp === undefined) return NOTHING;
	if (before?.stamp !== undefined && isSame(before.stamp, stamp)) return before;
	if (isClosed(folder)) return CLOSED;
	const isSettled = Date.now() - stamp.ctimeMs > TICK_MS;
	const sorting = sortEntries(folder, {
		whereTo: (path) => (own === undefined ? "elsewhere" : whereTo(own, path, roots)),
		isForeign: () => isOfOthers(folder, roots),
	});
	const finish = (): Listed => {
		const { isLasting, ...rest } = sorting.finish();
		const { dev, ino, ctimeMs } = stamp;
		return { stamp: isSettled && isLasting ? { dev, ino, ctimeMs } : undefined, ...rest };
	};
	return visitEntries(folder, sorting.add)?.then(finish) ?? finish();
}

const NO_ERROR = { throwIfNoEntry: false };

function isClosed(folder: string): boolean {
	try {
		accessSync(folder, constants.R_OK | constants.X_OK);
		return false;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EACCES";
	}
}

function stampOf(folder: string): Stamp | undefined {
	try {
		return lstatSync(folder, NO_ERROR);
	} catch {
		return undefined;
	}
}

function isSame(a: Stamp, b: Stamp): boolean {
	return a.ctimeMs === b.ctimeMs && a.ino === b.ino && a.dev === b.dev;
}

/** Keeps of a folder's entries only what counts, however many there are. */
function sortEntries(folder: string, around: Surroundings) {
	const isForeign = around.isForeign();
	const kindOf = (name: string): HarmfulKind | undefined => {
		if (isProtectedName(REPOSITORIES, name)) return "repository";
		return isProtectedName(isForeign ? WORKSPACE_FILES : NESTED_NAMES, name) ? "other" : undefined;
	};
	const folders: string[] = [];
	const found: [name: string, kind: HarmfulKind][] = [];
	const ofGit = new Map<string, string>();
	let isLasting = true;
	const kindOfLink = (name: string): HarmfulKind | undefined => {
		const where = around.whereTo(join(folder, name));
		if (where === "elsewhere for now") isLasting = false;
		return where === "there" ? "link" : undefined;
	};
	const kindOfEntry = (entry: Dirent): HarmfulKind | undefined => {
		if (!entry.isSymbolicLink() && !entry.isDirectory()) return undefined;
		if (entry.name.includes(NOT_TEXT)) return "unreadable";
		return entry.isSymbolicLink() ? kindOfLink(entry.name) : undefined;
	};
	return {
		add: (entry: Dirent): void => {
			const kind = kindOf(entry.name) ?? kindOfEntry(entry);
			// What is found as a whole is kept or renamed as a whole.
			if (kind !== undefined) found.push([entry.name, kind]);
			else if (entry.isDirectory()) folders.push(join(folder, entry.name));
			const plain = entry.name.toLowerCase();
			if (GIT_PARTS.has(plain)) ofGit.set(plain, entry.name);
		},
		/** `isLasting`: it stays true until the folder itself changes. */
		finish: (): Omit<Listed, "stamp"> & { readonly isLasting: boolean } => {
			const head = findHead(ofGit);
			return { folders, found: head === undefined ? found : [...found, [head, "bare"]], isLasting };
		},
	};
}

/** What Node makes of bytes that are not UTF-8. */
export const NOT_TEXT = "\uFFFD";

/**
 * Whether a link leads to a folder or to one above it, so that a further link gets there. What it names within the roots
 * is judged on its own. What lies outside no command can change, so the answer stays true, except for a link that goes
 * through a name and back: that name may be another link, which a command can turn.
 */
function whereTo(own: string, link: string, roots: readonly string[]): Where {
	const target = tryReadlink(link);
	if (target === undefined) return "elsewhere";
	const named = resolve(dirname(link), target);
	const goesBack = isWayBack(target);
	if (!goesBack && roots.some((root) => isInside(named, root)) && !isInside(named, own)) return "elsewhere";
	// The kernel also follows names that are not text.
	const real = (goesBack ? tryRealPath(link) : undefined) ?? findRealPath(goesBack ? link : named).real;
	if (isInside(real, own) || (isInside(own, real) && !roots.some((root) => isInside(real, root)))) return "there";
	return goesBack ? "elsewhere for now" : "elsewhere";
}

type Where = "there" | "elsewhere" | "elsewhere for now";

/** Whether two dots follow a name. */
function isWayBack(target: string): boolean {
	const parts = target.split(sep).filter((part) => part !== "" && part !== ".");
	return parts.some((part, at) => part === ".." && at > 0 && parts[at - 1] !== "..");
}

function tryRealPath(path: string): string | undefined {
	try {
		return realpathSync.native(path);
	} catch {
		return undefined;
	}
}

const GIT_PARTS = new Set(["head", "objects", "refs", "commondir"]);

/**
 * The file that marks a folder as a Git directory, if everything else that Git requires is there; some disks ignore
 * case.
 */
function findHead(names: ReadonlyMap<string, string>): string | undefined {
	const isGits = (names.has("objects") && names.has("refs")) || names.has("commondir");
	return isGits ? names.get("head") : undefined;
}
