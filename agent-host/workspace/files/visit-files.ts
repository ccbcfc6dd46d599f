import { type BigIntStats, lstatSync, statfsSync, statSync } from "node:fs";
import { sep } from "node:path";
import { createPace } from "./pace.ts";
import { isSameStamp, isSettled, type Stamp, toStamp } from "./stamp.ts";
import { visitEntries } from "./visit-entries.ts";

/** Folders with generated files. */
const UNVISITED: ReadonlySet<string> = new Set([
	...[".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__"],
	...["target", ".cache", ".next", ".gradle", ".tox", ".mypy_cache"],
]);
/** Time limit of one visit; a command waits no longer for it. */
const MAX_VISIT_MS = 1_000;
/** Limit for the names that are remembered. */
const MAX_LISTED = 50_000;
/**
 * ext, XFS, Btrfs and tmpfs stamp a folder whenever a name in it comes, goes or changes its meaning, by a clock that no
 * command can set. Others may not, or not at once, as those of networks.
 */
const STAMPING = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994]);

interface Entry {
	readonly path: string;
	readonly isFolder: boolean;
}

interface Listing {
	readonly stamp: Stamp;
	readonly entries: readonly Entry[];
}

/** The names in folders, for as long as nothing happens to them: most of a visit would be to read them. */
export interface Listings {
	folders: ReadonlyMap<string, Listing>;
}

export function createListings(): Listings {
	return { folders: new Map() };
}

export type StatFile = (path: string, links: "followed" | "not followed") => BigIntStats | undefined;

/** Undefined if nothing can be reached there: meanwhile, its folder may be a file, or a link that leads nowhere. */
export const statFile: StatFile = (path, links) => {
	try {
		return (links === "followed" ? statSync : lstatSync)(path, { bigint: true, throwIfNoEntry: false });
	} catch {
		return undefined;
	}
};

/**
 * Visits every file and link below the folders; links are never followed. Returns whether these were all: it ends early when it
 * takes too long, or `visit` returns false.
 */
export async function visitFiles(
	options: {
		readonly folders: readonly string[];
		readonly listings: Listings;
		readonly stat: StatFile;
		/** When this begins, in milliseconds. */
		readonly now: number;
	},
	visit: (path: string) => boolean,
): Promise<boolean> {
	const { folders, listings, stat, now } = options;
	const deadline = performance.now() + MAX_VISIT_MS;
	const pace = createPace();
	const known = listings.folders;
	const next = new Map<string, Listing>();
	const stamping = listStamping(folders, stat);
	let listed = 0;
	const list = async (folder: string, stats: BigIntStats): Promise<readonly Entry[]> => {
		const before = known.get(folder);
		const isStamped = stamping.has(stats.dev);
		const isKnown = before !== undefined && isStamped && isSameStamp(before.stamp, stats);
		const listing = isKnown ? before : { stamp: toStamp(stats), entries: await listEntries(folder) };
		listed += listing.entries.length;
		const mayKeep = isKnown || (isStamped && isSettled(stats, now));
		if (mayKeep && listed <= MAX_LISTED) next.set(folder, listing);
		return listing.entries;
	};
	try {
		const queue = [...folders];
		for (let at = 0; at < queue.length; at += 1) {
			const folder = queue[at] ?? "";
			// One that was opened may be a link.
			const stats = stat(folder, at < folders.length ? "followed" : "not followed");
			const entries = stats?.isDirectory() === true ? await list(folder, stats) : [];
			for (const { path, isFolder } of entries) {
				if (isFolder) queue.push(path);
				else if (!visit(path)) return false;
				const pause = pace();
				if (pause === undefined) continue;
				await pause;
				if (performance.now() > deadline) return false;
			}
			// There may be nothing but empty folders.
			if (entries.length === 0) await pace();
		}
		return true;
	} finally {
		listings.folders = next;
	}
}

/** The devices of those folders whose stamps tell of every change of their names. */
function listStamping(folders: readonly string[], stat: StatFile): ReadonlySet<bigint> {
	if (process.platform !== "linux") return new Set();
	const devices = folders.flatMap((folder) => {
		const stats = stat(folder, "followed");
		return stats !== undefined && STAMPING.has(readType(folder)) ? [stats.dev] : [];
	});
	return new Set(devices);
}

function readType(folder: string): number {
	try {
		return statfsSync(folder).type;
	} catch {
		return 0;
	}
}

async function listEntries(folder: string): Promise<readonly Entry[]> {
	const start = folder.endsWith(sep) ? folder : folder + sep;
	const entries: Entry[] = [];
	await visitEntries(folder, (entry) => {
		const isFolder = entry.isDirectory();
		const isVisited = isFolder ? !UNVISITED.has(entry.name) : entry.isFile() || entry.isSymbolicLink();
		if (isVisited) entries.push({ path: start + entry.name, isFolder });
	});
	return entries;
}
