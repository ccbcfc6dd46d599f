import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isProtectedName } from "../../permissions/reach/reach.ts";

/**
 * What makes other programs run code, or an agent obey, wherever it lies: a repository, which an editor opens as soon as a file
 * next to it is open, a workspace file, and instructions for agents. No mount can stand for them before they exist, since nobody
 * knows where they will be made.
 */
const REPOSITORIES: readonly string[] = [".git", ".hg", ".svn", ".jj", ".sl"];
const OTHERS: readonly string[] = ["*.code-workspace", "AGENTS*.md"];

/** Packages of others bring instructions along, which nobody obeys there. */
const OF_OTHERS = new Set(["node_modules", "vendor", ".venv", "venv", "site-packages"]);

/** The most folders below the writable roots; in a larger tree nobody could say what a command has left there. */
export const MAX_FOLDERS = 500_000;
/** Folders looked at without a break. */
const PIECE = 500;
/** A folder that changed so short a time before it was read may have changed again within the same tick of the clock. */
export const TICK_MS = 50;

/**
 * `bare`: a folder that is a Git directory without being called one, known by its HEAD; taken away, that file makes it an
 * ordinary folder again.
 */
export type HarmfulKind = "repository" | "bare" | "other";

export interface HarmfulPlaces {
	/** By path, what lies below these folders; the names that are protected directly in them are left out. */
	readonly find: (roots: readonly string[]) => Promise<Found>;
}

export interface Found {
	readonly places: ReadonlyMap<string, HarmfulKind>;
	/** False when there were too many folders to look at. */
	readonly isWhole: boolean;
	/** No folder was other than the last time. */
	readonly isUnchanged: boolean;
}

interface Listed {
	/** Which folder it was and when it changed last, by a clock that no command can set; undefined: not to be relied on. */
	readonly stamp: Stamp | undefined;
	readonly folders: readonly string[];
	readonly found: readonly (readonly [name: string, kind: HarmfulKind])[];
}

type Stamp = readonly [dev: number, ino: number, ctimeMs: number];

/** Sets of roots whose folders are remembered: those of commands that run side by side. */
const MAX_REMEMBERED = 4;

/** Remembers what it saw: a folder that has not changed is not read again. */
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

/** What has to be read-only for a place to stay as it is. */
export function wholeOf(place: string, kind: HarmfulKind): string {
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
		// Gone, or closed to whoever runs the host, and so to the editor too.
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
		return isProtectedName(OTHERS, name) && !(isForeign && /\.md$/i.test(name)) ? "other" : undefined;
	};
	const found = entries.flatMap(({ name }) => {
		const kind = kindOf(name);
		return kind === undefined ? [] : [[name, kind] as const];
	});
	const head = headOf(entries);
	return {
		folders: entries
			.filter((entry) => entry.isDirectory() && kindOf(entry.name) !== "repository")
			.map(({ name }) => name),
		found: head === undefined ? found : [...found, [head, "bare"]],
	};
}

/** The file that makes Git take a folder for one of its own, if all that Git looks for is there; some disks ignore case. */
function headOf(entries: readonly Dirent[]): string | undefined {
	const names = new Map(entries.map(({ name }) => [name.toLowerCase(), name]));
	const isGits = (names.has("objects") && names.has("refs")) || names.has("commondir");
	return isGits ? names.get("head") : undefined;
}
