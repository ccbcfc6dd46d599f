import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { NESTED_NAMES } from "../../permissions/policy/protected-names.ts";
import { isProtectedName } from "../../permissions/reach/reach.ts";

/**
 * What makes other programs run code, or instructs an agent, wherever it is: a repository, which an editor opens as
 * soon as a file next to it is open, and configuration of editors and agents, which count once the folder is opened.
 * No mount can guard them before they exist, because their location is unknown.
 */
const REPOSITORIES: readonly string[] = [".git", ".hg", ".svn", ".jj", ".sl"];
const WORKSPACE_FILES: readonly string[] = ["*.code-workspace"];

/** Packages contain the configuration of their authors, which nobody follows there. */
const OF_OTHERS = new Set(["node_modules", "vendor", ".venv", "venv", "site-packages"]);

/** Limit for the folders below the writable roots; in a larger tree we could not tell what a command has left there. */
export const MAX_FOLDERS = 500_000;
/** Folders visited without a break. */
const PIECE = 500;
/** A folder that changed this shortly before it was read may have changed again within the same clock tick. */
export const TICK_MS = 50;

/** `bare`: a Git directory with another name, recognized by its HEAD; without that file it is an ordinary folder. */
export type HarmfulKind = "repository" | "bare" | "other";

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
	readonly folders: readonly string[];
	readonly found: readonly (readonly [name: string, kind: HarmfulKind])[];
}

type Stamp = readonly [dev: number, ino: number, ctimeMs: number];

/** Number of root sets whose folders are remembered: those of commands that run in parallel. */
const MAX_REMEMBERED = 4;

/** Caches its results: an unchanged folder is not read again. */
export function createHarmfulPlaces(maxFolders = MAX_FOLDERS): HarmfulPlaces {
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
				const listed = look(folder, before);
				isUnchanged &&= listed === before;
				seen.set(folder, listed);
				for (const name of listed.folders) queue.push(join(folder, name));
				for (const [name, kind] of listed.found) {
					if (kind === "bare" || !roots.includes(folder)) places.set(join(folder, name), kind);
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

function look(folder: string, before: Listed | undefined): Listed {
	try {
		const { dev, ino, ctimeMs } = lstatSync(folder);
		if (before?.stamp !== undefined && isSame(before.stamp, [dev, ino, ctimeMs])) return before;
		const entries = readdirSync(folder, { withFileTypes: true });
		const stamp: Stamp | undefined = Date.now() - ctimeMs > TICK_MS ? [dev, ino, ctimeMs] : undefined;
		return { stamp, ...sort(folder, entries) };
	} catch {
		// Gone, or closed to the host's user and therefore to the editor too.
		return NOTHING;
	}
}

function isSame(a: Stamp, b: Stamp): boolean {
	return a[0] === b[0] && a[1] === b[1] && a[2] === b[2];
}

function sort(folder: string, entries: readonly Dirent[]): Omit<Listed, "stamp"> {
	const isForeign = folder.split("/").some((part) => OF_OTHERS.has(part));
	const kindOf = (name: string): HarmfulKind | undefined => {
		if (isProtectedName(REPOSITORIES, name)) return "repository";
		return isProtectedName(isForeign ? WORKSPACE_FILES : NESTED_NAMES, name) ? "other" : undefined;
	};
	const found = entries.flatMap(({ name }) => {
		const kind = kindOf(name);
		return kind === undefined ? [] : [[name, kind] as const];
	});
	const head = findHead(entries);
	return {
		folders: entries
			// What is found as a whole is kept or renamed as a whole.
			.filter((entry) => entry.isDirectory() && kindOf(entry.name) === undefined)
			.map(({ name }) => name),
		found: head === undefined ? found : [...found, [head, "bare"]],
	};
}

/**
 * The file that marks a folder as a Git directory, if everything else that Git requires is there; some disks ignore
 * case.
 */
function findHead(entries: readonly Dirent[]): string | undefined {
	const names = new Map(entries.map(({ name }) => [name.toLowerCase(), name]));
	const isGits = (names.has("objects") && names.has("refs")) || names.has("commondir");
	return isGits ? names.get("head") : undefined;
}
