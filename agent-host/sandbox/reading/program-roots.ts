import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../../permissions/reach/reach.ts";
import { followLinks } from "../../workspace/files/real-path.ts";

/** Limits for the PATH folders that are visited, and the names in each. */
const [MAX_FOLDERS, MAX_NAMES] = [64, 2_000];
const PROGRAM_FOLDERS = ["bin", "sbin", "shims", "Scripts", "condabin"];
/** Folders in a home folder that many programs share, and that contain other things. */
const SHARED_FOLDERS = [".local", ".config", ".cache", ".local/share", "Library", "Documents", "Downloads", "Desktop"];
/** Where administrators put links to programs in a home folder. */
const LINKED_FROM = "/usr/local/bin";

/**
 * What the programs on PATH need to run, below closed places: their folders, and the rest of their installations.
 * @param mixed Folders that are never opened as a whole, beginning with the home folder.
 * @param isWritten Whether a path leads to or through a place that commands write to: no link there opens anything.
 */
export function findProgramRoots(
	path: string | undefined,
	mixed: readonly string[],
	isClosed: (path: string) => boolean,
	isWritten: (path: string) => boolean,
): readonly string[] {
	const folders = (path ?? "").split(delimiter).filter(isAbsolute).slice(0, MAX_FOLDERS);
	const [home = "/"] = mixed;
	const shared = [...mixed, ...SHARED_FOLDERS.map((name) => join(home, name))];
	const isShared = (folder: string) => shared.some((place) => isInside(place, folder)) || !isClosed(folder);
	const roots = new Set<string>();
	const add = (place: string): void => {
		if (isClosed(place)) roots.add(place);
	};
	// One in the workspace is named as it is: it stays read-only, since the user's own programs are looked for there, too.
	for (const folder of new Set(folders.map((named) => (isWritten(named) ? named : tryRealPath(named))))) {
		if (!isShared(folder)) add(folder);
		if (PROGRAM_FOLDERS.includes(basename(folder)) && !isShared(dirname(folder))) add(dirname(folder));
		if (!isClosed(folder) && folder !== LINKED_FROM) continue;
		for (const target of linksIn(folder, isWritten)) if (isClosed(target)) add(findInstallation(target, isShared));
	}
	return [...roots];
}

/**
 * What a command line needs that names files and folders by their whole paths: the installation of each file, and each
 * folder, but never the home folder or one around it.
 * @param isWritten As above.
 */
export function findNamedPlaces(
	words: readonly string[],
	home: string,
	isWritten: (path: string) => boolean,
): readonly string[] {
	const shared = [home, ...SHARED_FOLDERS.map((name) => join(home, name))];
	const isShared = (folder: string) => shared.some((place) => isInside(place, folder));
	return words.filter(isAbsolute).flatMap((word) => {
		if (isWritten(word)) return [];
		const place = tryRealPath(word);
		const stat = statSync(place, { throwIfNoEntry: false });
		if (stat === undefined || isShared(place)) return [];
		return [stat.isDirectory() ? place : findInstallation(place, isShared)];
	});
}

/** The folder of a program's installation; only the program itself if it is among other things. */
function findInstallation(program: string, isShared: (folder: string) => boolean): string {
	const modules = program.lastIndexOf("/node_modules/");
	if (modules !== -1) return program.slice(0, modules + "/node_modules".length);
	const folder = dirname(program);
	const root = PROGRAM_FOLDERS.includes(basename(folder)) ? dirname(folder) : folder;
	return isShared(root) ? (isShared(folder) ? program : folder) : root;
}

/**
 * Whether a path leads to or through these folders, or nowhere. What a command can write must not decide which places
 * are open, so nothing is opened for such a path.
 */
export function createIsWritten(folders: readonly string[]): (path: string) => boolean {
	// With the root, every path would be one.
	const places = [...folders, ...folders.map(tryRealPath)].filter((place) => place !== "/");
	return (path) => {
		const way = followLinks(path);
		return way === undefined || [...way.links, way.real].some((part) => places.some((place) => isInside(part, place)));
	};
}

function linksIn(folder: string, isWritten: (path: string) => boolean): readonly string[] {
	try {
		const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
		return links.slice(0, MAX_NAMES).flatMap(({ name }) => {
			const link = join(folder, name);
			return isWritten(link) ? [] : [tryRealPath(link)];
		});
	} catch {
		return [];
	}
}

function tryRealPath(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		return path;
	}
}
