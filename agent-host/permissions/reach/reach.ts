import { dirname, join, relative, sep } from "node:path";
import { PLATFORM } from "../../platform/platform.ts";
import type { FileAccess, PolicyEntry } from "../../protocol/settings/policy-settings.ts";
import { entryAt, isGlob, isPattern } from "../../protocol/settings/policy-settings.ts";
import type { ClosedPlaces, Policy } from "../policy/policy.ts";
import { matchesGlob, matchesUpTo } from "./glob.ts";

const STRENGTH: Readonly<Record<FileAccess, number>> = { read: 1, write: 2, none: 3 };

/**
 * The policy's access at a path: the most specific entry, with secrets and denying globs first. Does not resolve the
 * path.
 */
export function accessTo(policy: Pick<Policy, "filesystem" | "secrets" | "closed">, path: string): FileAccess {
	return isSecret(policy, path) ? "none" : grantedAt(effectiveEntries(policy), path);
}

/**
 * The same for many paths, one folder after the other: below a folder in which nothing is named, one answer holds for
 * everything, except for what a glob closes.
 */
export function createAccess(policy: Pick<Policy, "filesystem" | "secrets" | "closed">): (path: string) => FileAccess {
	const { globs, places } = sortEntries(effectiveEntries(policy));
	const named = [...places.map(({ path }) => path), ...policy.secrets];
	const isMixed = (folder: string) => named.some((place) => place !== folder && isInside(place, folder));
	let last: { readonly start: string; readonly common: FileAccess | undefined } | undefined;
	const lookUp = (path: string) => {
		let top = dirname(path);
		if (isMixed(top)) return { start: path, common: undefined };
		for (let above = dirname(top); above !== top && !isMixed(above); above = dirname(top)) top = above;
		const common = isSecret(policy, path) ? "none" : placedAt(places, path);
		return { start: top.endsWith(sep) ? top : top + sep, common };
	};
	return (path) => {
		if (last === undefined || !path.startsWith(last.start)) last = lookUp(path);
		const { common } = last;
		if (common === undefined) return accessTo(policy, path);
		return globs.some((glob) => matchesBelow(glob, path)) ? "none" : common;
	};
}

export const NOTHING_CLOSED: ClosedPlaces = { places: [], except: [] };

/**
 * Grants combined with the places that are closed by default: a place granted by name is open, even inside a closed
 * one.
 */
export function effectiveEntries(policy: Pick<Policy, "filesystem" | "closed">): readonly PolicyEntry[] {
	const { filesystem, closed } = policy;
	if (closed.places.length === 0) return filesystem;
	const known = effective.get(filesystem);
	if (known?.closed === closed) return known.entries;
	const named = new Set(filesystem.filter((entry) => !isPattern(entry)).map(({ path }) => path));
	const isOpen = (path: string) => !named.has(path) && grantedAt(filesystem, path) !== "none";
	const places = closed.places.filter(isOpen);
	const except = closed.except.filter((path) => isOpen(path) && places.some((place) => isInside(path, place)));
	const entries = [
		...filesystem,
		...places.map((path) => entryAt(path, "none")),
		...except.map((path) => entryAt(path, "read")),
	];
	effective.set(filesystem, { closed, entries });
	return entries;
}

/** Whether a path would be open without the default closures. */
export function isClosedByDefault(policy: Pick<Policy, "filesystem" | "secrets" | "closed">, path: string): boolean {
	if (policy.closed.places.length === 0 || accessTo(policy, path) !== "none") return false;
	return accessTo({ ...policy, closed: NOTHING_CLOSED }, path) !== "none";
}

/** Called thousands of times per command with the same few policies. */
const effective = new WeakMap<
	readonly PolicyEntry[],
	{ readonly closed: ClosedPlaces; readonly entries: readonly PolicyEntry[] }
>();

/** The same without secrets, which are an overlay and not part of the grants. */
export function grantedAt(entries: readonly PolicyEntry[], path: string): FileAccess {
	const { globs, places } = sortEntries(entries);
	if (globs.some((glob) => matchesBelow(glob, path))) return "none";
	return placedAt(places, path);
}

function placedAt(places: SortedEntries["places"], path: string): FileAccess {
	return places.find((entry) => isInside(path, entry.path))?.access ?? "none";
}

interface SortedEntries {
	readonly globs: readonly string[];
	/** The one that counts first: the deepest, and of several at one depth the strictest. */
	readonly places: readonly PolicyEntry[];
}

const sortedEntries = new WeakMap<readonly PolicyEntry[], SortedEntries>();

function sortEntries(entries: readonly PolicyEntry[]): SortedEntries {
	const known = sortedEntries.get(entries);
	if (known !== undefined) return known;
	const globs = entries.filter(isPattern).map(({ path }) => path);
	const places = entries
		.filter((entry) => !isPattern(entry))
		.map((entry) => ({ entry, depth: depthOf(entry.path) }))
		.sort((a, b) => b.depth - a.depth || STRENGTH[b.entry.access] - STRENGTH[a.entry.access])
		.map(({ entry }) => entry);
	const sorted = { globs, places };
	sortedEntries.set(entries, sorted);
	return sorted;
}

/**
 * The protected file or folder that contains a path, if there is one. An entry that grants writing to it by name opens
 * it.
 */
export function protectedPart(policy: Pick<Policy, "filesystem" | "protect">, path: string): string | undefined {
	const fixed = policy.protect.paths.find((place) => isInside(path, place));
	if (fixed !== undefined) return isGrantedByName(policy.filesystem, fixed, path) ? undefined : fixed;
	for (const root of guardedRoots(policy)) {
		if (!isInside(path, root)) continue;
		const name = relative(root, path).split(sep)[0] ?? "";
		const place = root.endsWith(sep) ? root + name : root + sep + name;
		if (name !== "" && isProtectedName(policy.protect.names, name) && !isGrantedByName(policy.filesystem, place, path))
			return place;
	}
	return undefined;
}

/**
 * The same for an edit, which is stricter: a protected name at any depth counts, because a user may open the folder it
 * is in.
 */
export function protectedInEdit(policy: Pick<Policy, "filesystem" | "protect">, path: string): string | undefined {
	const part = protectedPart(policy, path);
	if (part !== undefined) return part;
	const root = guardedRoots(policy).find((folder) => isInside(path, folder));
	if (root === undefined) return undefined;
	const way = relative(root, path).split(sep);
	const deep = way.findIndex((name, index) => index > 0 && isProtectedName(policy.protect.names, name));
	const place = join(root, ...way.slice(0, deep + 1));
	return deep === -1 || isGrantedByName(policy.filesystem, place, path) ? undefined : place;
}

export function writableRoots(policy: Pick<Policy, "filesystem">): readonly string[] {
	return policy.filesystem.filter((entry) => entry.access === "write").map((entry) => entry.path);
}

/** The writable roots below which names are protected. */
export function guardedRoots(policy: Pick<Policy, "filesystem" | "protect">): readonly string[] {
	return writableRoots(policy).filter((root) => !policy.protect.free.includes(root));
}

export function mayWrite(policy: Policy, path: string): boolean {
	return accessTo(policy, path) === "write" && protectedPart(policy, path) === undefined;
}

export function mayRead(policy: Policy, path: string): boolean {
	return accessTo(policy, path) !== "none";
}

/** Whether a policy closes anything below a folder that may be read. */
export function closesBelow({ filesystem, secrets }: Pick<Policy, "filesystem" | "secrets">, folder: string): boolean {
	const closed = filesystem.filter(({ access }) => access === "none");
	return closed.some(isPattern) || [...closed.map(({ path }) => path), ...secrets].some((one) => isInside(one, folder));
}

/** A command's effective access: as granted, but protected places are read-only. Full access may write those too. */
export function enforcedAccess(policy: Policy, path: string): FileAccess {
	if (isPrivate(policy, path)) return "none";
	const access = accessTo(policy, path);
	const isProtected = access === "write" && policy.mode !== "full" && protectedPart(policy, path) !== undefined;
	return isProtected ? "read" : access;
}

/** Whether a command sees its thread's temporary files at a path instead of the real content. */
export function isPrivate(policy: Pick<Policy, "temporary" | "filesystem" | "folders">, path: string): boolean {
	if (!policy.temporary.some((folder) => isInside(path, folder))) return false;
	return !sharedPlaces(policy).some((place) => isInside(path, place));
}

/**
 * Places below the temporary folders that are open or granted by name: they are visible among the thread's own files.
 */
export function sharedPlaces({
	temporary,
	filesystem,
	folders,
}: Pick<Policy, "temporary" | "filesystem" | "folders">): readonly string[] {
	if (temporary.length === 0) return [];
	const granted = filesystem.filter((entry) => entry.access !== "none" && !isPattern(entry)).map(({ path }) => path);
	const places = [...new Set([...folders, ...granted])];
	return places.filter((path) => temporary.some((folder) => path !== folder && isInside(path, folder)));
}

/** Names are compared ignoring case, as some file systems do: `.GIT` is `.git`. */
export function isProtectedName(names: readonly string[], name: string): boolean {
	const folded = foldName(name);
	const { plain, globs } = foldNames(names);
	return plain.has(folded) || globs.some((glob) => matchesGlob(glob, folded));
}

/** A name as some file systems compare it; they also drop ignorable characters. */
export function foldName(name: string): string {
	const folded = PLATFORM.foldName(name);
	if (/^[ -~]*$/.test(folded)) return folded.toLowerCase();
	return folded
		.normalize("NFKC")
		.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
		.toLowerCase();
}

/** Whether two names mean one place, as far as that can be told without looking. */
export function isSamePlace(path: string, other: string): boolean {
	return PLATFORM.keyOf(path) === PLATFORM.keyOf(other);
}

export function isInside(path: string, folder: string): boolean {
	return PLATFORM.isInside(path, folder);
}

function isSecret(policy: Pick<Policy, "filesystem" | "secrets">, path: string): boolean {
	return policy.secrets.some((secret) => isInside(path, secret) && !isReopened(policy, secret, path));
}

function isReopened(policy: Pick<Policy, "filesystem">, secret: string, path: string): boolean {
	return policy.filesystem.some(
		(entry) => entry.access !== "none" && isInside(entry.path, secret) && isInside(path, entry.path),
	);
}

function isGrantedByName(entries: readonly PolicyEntry[], place: string, path: string): boolean {
	return entries.some((entry) => entry.access === "write" && isInside(entry.path, place) && isInside(path, entry.path));
}

// Everything below a match is closed too.
function matchesBelow(glob: string, path: string): boolean {
	const parts = path.split(sep).filter((part) => part !== "");
	return matchesUpTo(foldGlob(glob), parts.map(PLATFORM.foldName).join("/"));
}

function foldGlob(glob: string): string {
	return glob.split("/").map(PLATFORM.foldName).join("/");
}

function depthOf(path: string): number {
	return path === "/" ? 0 : path.split(sep).filter((part) => part !== "").length;
}

interface FoldedNames {
	readonly plain: ReadonlySet<string>;
	readonly globs: readonly string[];
}

const foldedNames = new WeakMap<readonly string[], FoldedNames>();

function foldNames(names: readonly string[]): FoldedNames {
	const known = foldedNames.get(names);
	if (known !== undefined) return known;
	const folded = names.map(foldName);
	const sorted = { plain: new Set(folded), globs: folded.filter(isGlob) };
	foldedNames.set(names, sorted);
	return sorted;
}
