import { dirname, join } from "node:path";
import type { InstructionFile } from "../../envelope/envelope.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import type { Readable } from "../files/readable.ts";
import { lookAtName } from "../files/small-file.ts";
import { followImports } from "./follow-imports.ts";
import { type LoadedFile, loadFile } from "./load-file.ts";

/** In each folder the first existing one is used; in a workspace also the fallbacks of the settings, after these. */
export const FILE_NAMES = ["AGENTS.override.md", "AGENTS.md"] as const;
/** Limit for folders from the workspace folder down to the working folder. */
const MAX_DEPTH = 32;

export interface LoadedInstructions {
	readonly files: readonly InstructionFile[];
	/** One sentence for each file that could not be used as it is. */
	readonly problems: readonly string[];
}

/** A folder that may contain a file of instructions. */
interface Place {
	readonly folder: string;
	readonly origin: InstructionFile["origin"];
	readonly names: readonly string[];
	/** The folder that its imports stay in. */
	readonly within: string;
}

/**
 * The user's instructions: their own file, then the AGENTS.md chain from the workspace folder down to the working
 * folder, each with what it imports and no text twice. Nothing is read from an untrusted workspace.
 */
export async function loadInstructions(where: {
	readonly home: string;
	readonly cwd: string | undefined;
	readonly roots: readonly string[];
	readonly trusted: boolean;
	/** Names of other files, relative to a folder, for folders without an AGENTS.md. */
	readonly fallbacks: readonly string[];
	/** What the turn may read. */
	readonly readable: Readable;
}): Promise<LoadedInstructions> {
	const { cwd, roots, home, fallbacks } = where;
	const own: Place = { folder: home, origin: "user", names: FILE_NAMES, within: home };
	const chain = where.trusted && cwd !== undefined ? listChain(cwd, roots, fallbacks) : [];
	return loadPlaces([own, ...chain], where.readable, []);
}

/**
 * The instructions of folders below the working folder, for folders whose files are worked on. What `beside` contains is
 * not loaded a second time.
 */
export async function loadNested(where: {
	readonly folders: readonly string[];
	readonly roots: readonly string[];
	readonly fallbacks: readonly string[];
	readonly beside: readonly Pick<InstructionFile, "path" | "stamp">[];
	readonly readable: Readable;
}): Promise<LoadedInstructions> {
	const names = [...FILE_NAMES, ...where.fallbacks];
	const places = where.folders.flatMap((folder): readonly Place[] => {
		const within = where.roots.find((root) => isInside(folder, root));
		return within === undefined ? [] : [{ folder, origin: "workspace", names, within }];
	});
	return loadPlaces(places, where.readable, where.beside);
}

/** The folders on the way to a path whose instructions the chain down to the working folder does not contain. */
export function listNestedFolders(path: string, cwd: string, roots: readonly string[]): readonly string[] {
	const known = new Set(listFolders(cwd, roots));
	return listFolders(path, roots).filter((folder) => !known.has(folder));
}

async function loadPlaces(
	places: readonly Place[],
	workspaceReadable: Readable,
	beside: readonly Pick<InstructionFile, "path" | "stamp">[],
): Promise<LoadedInstructions> {
	const found = await Promise.all(
		places.map(async (place) => {
			const readable = place.origin === "user" ? () => true : workspaceReadable;
			return { place, readable, first: await loadFirst(place, readable) };
		}),
	);
	const used = new Set(beside.map(({ path }) => path));
	const loaded: LoadedFile[] = [];
	for (const { place, readable, first } of found) {
		if (first.problem !== undefined) loaded.push({ problem: first.problem });
		if (first.file !== undefined && !used.has(first.file.path)) {
			loaded.push(...(await followImports(first.file, place.within, readable, used)));
		}
	}
	return {
		files: withoutCopies(
			loaded.flatMap(({ file }) => file ?? []),
			new Set(beside.map(({ stamp }) => stamp)),
		),
		problems: loaded.flatMap(({ problem }) => problem ?? []),
	};
}

/** Files that would be instructions if the workspace were trusted. They are not read. */
export async function findUnfollowed(
	cwd: string,
	roots: readonly string[],
	fallbacks: readonly string[],
): Promise<readonly string[]> {
	const found = await Promise.all(
		listChain(cwd, roots, fallbacks).map(async ({ folder, names }) => {
			const paths = names.map((name) => join(folder, name));
			const kinds = await Promise.all(paths.map(lookAtName));
			return paths.filter((_, index) => kinds[index] !== "none").slice(0, 1);
		}),
	);
	return found.flat();
}

function listChain(cwd: string, roots: readonly string[], fallbacks: readonly string[]): readonly Place[] {
	const names = [...FILE_NAMES, ...fallbacks];
	const [root = ""] = listFolders(cwd, roots);
	return listFolders(cwd, roots).map((folder) => ({ folder, origin: "workspace", names, within: root }));
}

/** From the workspace folder down to a path. */
function listFolders(path: string, roots: readonly string[]): readonly string[] {
	const root = roots.find((folder) => isInside(path, folder));
	if (root === undefined) return [];
	const folders: string[] = [];
	for (let folder = path; folders.length < MAX_DEPTH; folder = dirname(folder)) {
		folders.unshift(folder);
		if (folder === root || folder === dirname(folder)) break;
	}
	return folders;
}

async function loadFirst({ folder, names, origin }: Place, readable: Readable): Promise<LoadedFile> {
	for (const name of names) {
		const loaded = await loadFile(join(folder, name), origin, readable);
		if (loaded !== undefined) return loaded;
	}
	return {};
}

/** The same text in another place says nothing new. */
function withoutCopies(files: readonly InstructionFile[], beside: ReadonlySet<string>): readonly InstructionFile[] {
	return files.filter(
		({ stamp }, index) => !beside.has(stamp) && files.findIndex((other) => other.stamp === stamp) === index,
	);
}
