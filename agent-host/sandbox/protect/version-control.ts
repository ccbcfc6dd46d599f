import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { guardedRoots, isInside, isProtectedName, writableRoots } from "../../permissions/reach/reach.ts";
import { findProtected } from "../../workspace/files/find-protected.ts";
import { readSmallFile } from "../../workspace/files/small-file.ts";
import { type FoundGit, findGit, listGitPlaces } from "../../workspace/git/find-git.ts";
import { type GitSetting, includedFiles, listConfigPlaces, readGitConfig } from "./git-config.ts";
import { type Found, toReadOnlyPlace } from "./harmful-places.ts";

/**
 * A policy that protects every repository and what it refers to, and the missing names that a repository would obey.
 */
export interface RepositoryProtection {
	readonly policy: Policy;
	readonly awaited: readonly string[];
}

/** The parts of a Git directory that decide what Git runs. */
const DECIDING = ["config", "config.worktree", "hooks", "info", "modules", "commondir", "gitdir", "HEAD"];
const MAX_CONFIG_BYTES = 65_536;
/** Limit for the configuration files that one launch reads; further ones count as places that must not be written. */
const MAX_CONFIGS = 2_000;
/** Limit for nested repositories with their own mount. */
const MAX_NESTED = 40;
/** Limit for nested workspace files and instructions that are protected, those nearest to the roots first. */
const MAX_OTHERS = 30;

/**
 * Adds the repositories below the writable roots, whatever their name, to a policy's protection: their folders and
 * files, the targets of pointer files, and what their configuration names inside the roots. Read at every launch,
 * because any of it may be newer than the turn.
 */
export async function protectRepositories(policy: Policy, found: Found): Promise<RepositoryProtection> {
	if (!isProtectedName(policy.protect.names, ".git")) return { policy, awaited: [] };
	const roots = guardedRoots(policy);
	const links = (await findProtected(roots, policy.protect.names)).filter(isLink);
	const nested = [...found.places].map(([place, kind]) => ({ place, kind, folder: dirname(place) }));
	const worktrees = [...roots, ...nested.filter(({ kind }) => kind === "repository").map(({ folder }) => folder)];
	const bare = nested.filter(({ kind }) => kind === "bare").map(({ folder }) => folder);
	const led = await followRepositories(worktrees, bare);
	const repositories = nested
		.filter(({ kind }) => kind === "repository" || kind === "bare")
		.map(({ place, kind }) => toReadOnlyPlace(place, kind));
	const others = nested.filter(({ kind }) => kind === "other").map(({ place }) => place);
	const readOnlyPlaces = [
		...gather(
			repositories.filter((path) => !holdsRoot(path, policy)),
			roots,
		),
		...nearest(others),
	];
	const parts = bare.filter((folder) => holdsRoot(folder, policy)).flatMap(decidingParts);
	const inside = [...led, ...parts].filter((path) => isOwn(path, policy));
	const [present, awaited] = split(inside);
	const paths = [...new Set([...policy.protect.paths, ...links, ...readOnlyPlaces, ...present])];
	return { policy: { ...policy, protect: { ...policy.protect, paths } }, awaited: [...new Set(awaited)] };
}

/** Where pointer files and configuration lead, for the repositories in these folders and for bare ones. */
async function followRepositories(worktrees: readonly string[], bare: readonly string[]): Promise<readonly string[]> {
	const places: string[] = [];
	const queue: { readonly file: string; readonly bases: readonly string[] }[] = USER_CONFIGS.map((path) => {
		const file = join(homedir(), path);
		return { file, bases: [dirname(file), ...worktrees] };
	});
	const addDirectory = (directory: string, worktree: string): void => {
		const bases = [directory, worktree];
		queue.push(...["config", "config.worktree"].map((name) => ({ file: join(directory, name), bases })));
	};
	for (const worktree of new Set(worktrees)) {
		const git = findPlainGit(worktree) ?? (await findGit(worktree));
		if (git.kind === "none") continue;
		const elsewhere = await listGitPlaces(git);
		places.push(...elsewhere);
		for (const directory of new Set([git.directory, ...elsewhere])) addDirectory(directory, worktree);
	}
	for (const folder of bare) addDirectory(folder, folder);
	const read = new Set<string>();
	for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
		const { file, bases } = next;
		if (read.has(file)) continue;
		read.add(file);
		if (read.size > MAX_CONFIGS) {
			places.push(file);
			continue;
		}
		const settings = await readSettings(file);
		places.push(...listConfigPlaces(settings, [dirname(file), ...bases], homedir()));
		queue.push(...includedFiles(settings, dirname(file), homedir()).map((one) => ({ file: one, bases })));
	}
	return places;
}

/** Nearly always there is a directory or nothing, and one look tells; undefined for a pointer file or a link. */
function findPlainGit(worktree: string): FoundGit | undefined {
	const directory = join(worktree, ".git");
	const stat = lookAt(directory);
	if (stat === undefined) return { kind: "none" };
	return stat.isDirectory() ? { kind: "directory", directory } : undefined;
}

/** What Git reads in all repositories of the user. */
const USER_CONFIGS = [".gitconfig", ".config/git/config"];

/** Parsed once per version of a file: commands follow each other, and configuration rarely changes. */
const parsed = new Map<string, { readonly stamp: string; readonly settings: readonly GitSetting[] }>();

async function readSettings(file: string): Promise<readonly GitSetting[]> {
	const stat = lookAt(file);
	if (stat === undefined) return [];
	const stamp = `${stat.dev}:${stat.ino}:${stat.ctimeMs}:${stat.size}`;
	const known = parsed.get(file);
	if (known?.stamp === stamp && !stat.isSymbolicLink()) return known.settings;
	const read = await readSmallFile(file, MAX_CONFIG_BYTES, () => true);
	const settings = read.state === "read" ? readGitConfig(read.text) : [];
	if (parsed.size >= MAX_CONFIGS) parsed.clear();
	parsed.set(file, { stamp, settings });
	return settings;
}

/**
 * If there are more than mounts can handle, whole folders directly below a root become read-only with all repositories
 * in them.
 */
function gather(paths: readonly string[], roots: readonly string[]): readonly string[] {
	if (paths.length <= MAX_NESTED) return paths;
	return [
		...new Set(
			paths.map((path) => {
				const root = roots.find((folder) => isInside(path, folder)) ?? dirname(path);
				return join(root, relative(root, path).split(sep)[0] ?? "");
			}),
		),
	];
}

function nearest(paths: readonly string[]): readonly string[] {
	return paths.toSorted((a, b) => a.split(sep).length - b.split(sep).length).slice(0, MAX_OTHERS);
}

function decidingParts(folder: string): readonly string[] {
	return DECIDING.map((name) => join(folder, name));
}

/** Such a folder cannot be read-only as a whole. */
function holdsRoot(path: string, policy: Policy): boolean {
	return writableRoots(policy).some((root) => isInside(root, path));
}

function isOwn(path: string, policy: Policy): boolean {
	return guardedRoots(policy).some((root) => isInside(path, root)) && !holdsRoot(path, policy);
}

function split(paths: readonly string[]): readonly [present: readonly string[], missing: readonly string[]] {
	return [paths.filter((path) => lookAt(path) !== undefined), paths.filter((path) => lookAt(path) === undefined)];
}

function isLink(path: string): boolean {
	return lookAt(path)?.isSymbolicLink() ?? false;
}

function lookAt(path: string) {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch {
		// A file in place of a folder: then there is nothing.
		return undefined;
	}
}
