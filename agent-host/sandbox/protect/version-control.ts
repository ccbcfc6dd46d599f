import { lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { guardedRoots, isInside, isProtectedName, writableRoots } from "../../permissions/reach/reach.ts";
import { findProtected } from "../../workspace/files/find-protected.ts";
import { withRealPaths } from "../../workspace/files/readable.ts";
import { findRealPath, traceLinks } from "../../workspace/files/real-path.ts";
import { readSmallFile } from "../../workspace/files/small-file.ts";
import { type FoundGit, findGit, findShared, listGitPlaces, readGitFile } from "../../workspace/git/find-git.ts";
import { type GitSetting, hookFolders, includedFiles, listConfigPlaces, readGitConfig } from "./git-config.ts";
import { type Found, type HarmfulKind, type HarmfulPlaces, toReadOnlyPlace } from "./harmful-places.ts";
import { tryReadlink } from "./try-readlink.ts";

/**
 * A policy that protects every repository and what it refers to, and the missing names that a repository would obey.
 */
export interface RepositoryProtection {
	readonly policy: Policy;
	readonly awaited: readonly string[];
	/** A configuration that is too long to be read or leads to too many places, so that they are not protected. */
	readonly unread: string | undefined;
}

/** The parts of a Git directory that decide what Git runs. */
const DECIDING = ["config", "config.worktree", "hooks", "info", "modules", "commondir", "gitdir", "HEAD"];
export const MAX_CONFIG_BYTES = 1_048_576;
/** Limit for the configuration files that one launch reads; further ones count as places that must not be written. */
const MAX_CONFIGS = 2_000;
/** Limit for the places that all configuration leads to: each is looked for on the disk before a command. */
const MAX_LED = 10_000;
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
	if (!isProtectedName(policy.protect.names, ".git")) return { policy, awaited: [], unread: undefined };
	const roots = guardedRoots(policy);
	const links = (await findProtected(roots, policy.protect.names)).filter(isLink);
	const nested = listNested(found);
	const { bare, places: led, unread } = await followFound(roots, nested);
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
	return {
		policy: { ...policy, protect: { ...policy.protect, paths } },
		awaited: [...new Set(awaited)],
		unread: policy.mode === "full" || roots.length === 0 ? undefined : unread[0]?.file,
	};
}

/**
 * The same for patches, which ask where a command could not write: the repositories' other names, and what they lead to.
 */
export async function protectFromEdits(policy: Policy, places: HarmfulPlaces): Promise<Policy> {
	const roots = (policy.mode === "full" ? policy.folders : guardedRoots(policy)).filter((root) => root !== "/");
	if (roots.length === 0) return policy;
	const found = await places.find(roots);
	const { bare, places: led, unread } = await followFound(roots, listNested(found));
	const whole = bare.flatMap((folder) => (holdsRoot(folder, policy) ? decidingParts(folder) : [folder]));
	const known = [...whole, ...led].filter((path) => !holdsRoot(path, policy));
	const paths = [...new Set([...policy.protect.paths, ...known])];
	// Where it is not known what Git runs, it may be any file.
	const names = found.isWhole && unread.length === 0 ? policy.protect.names : [...policy.protect.names, "*"];
	return withRealPaths({ ...policy, protect: { ...policy.protect, names, paths } });
}

interface Nested {
	readonly place: string;
	readonly kind: HarmfulKind;
	readonly folder: string;
}

function listNested(found: Found): readonly Nested[] {
	return [...found.places].map(([place, kind]) => ({ place, kind, folder: dirname(place) }));
}

async function followFound(roots: readonly string[], nested: readonly Nested[]) {
	const foldersOf = (wanted: HarmfulKind) => nested.filter(({ kind }) => kind === wanted).map(({ folder }) => folder);
	const bare = foldersOf("bare");
	return { bare, ...(await followRepositories([...roots, ...foldersOf("repository")], bare)) };
}

/** A configuration file, and the folders that its relative paths may begin at. */
interface ConfigFile {
	readonly file: string;
	readonly bases: readonly string[];
}

/** Where pointer files, links and configuration lead, for the repositories in these folders and for bare ones. */
async function followRepositories(
	worktrees: readonly string[],
	bare: readonly string[],
): Promise<{ readonly places: readonly string[]; readonly unread: readonly ConfigFile[] }> {
	const places: string[] = [];
	const unread: ConfigFile[] = [];
	const queue: ConfigFile[] = userConfigs().map((file) => ({ file, bases: [dirname(file), ...worktrees] }));
	const add = (led: Iterable<string>, from: ConfigFile): void => {
		for (const place of led) {
			if (places.length === MAX_LED) {
				unread.push(from);
				return;
			}
			places.push(place);
		}
	};
	const addDirectory = async (directory: string, worktree: string): Promise<void> => {
		const bases = [directory, worktree];
		queue.push(...["config", "config.worktree"].map((name) => ({ file: join(directory, name), bases })));
		for (const one of await listWorktreeConfigs(directory)) queue.push(one);
		add(linksOf(directory), { file: directory, bases });
	};
	for (const worktree of new Set(worktrees)) {
		const git = findPlainGit(worktree) ?? (await findGit(worktree));
		if (git.kind === "none") continue;
		const elsewhere = await listGitPlaces(git);
		add(elsewhere, { file: git.directory, bases: [worktree] });
		for (const directory of new Set([git.directory, ...elsewhere])) await addDirectory(directory, worktree);
	}
	for (const folder of bare) {
		await addDirectory(folder, folder);
		const shared = await findShared(folder);
		if (shared === undefined) continue;
		add([shared], { file: folder, bases: [folder] });
		await addDirectory(shared, folder);
	}
	const read = new Set<string>();
	for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
		const { file, bases } = next;
		if (read.has(file)) continue;
		read.add(file);
		if (read.size > MAX_CONFIGS) {
			add([file], next);
			continue;
		}
		const settings = await readSettings(file);
		if (settings === "too long") {
			unread.push(next);
			continue;
		}
		const all = [dirname(file), ...bases, ...worktreesIn(settings, bases)];
		add(listConfigPlaces(settings, all, homedir()), next);
		add(hookFolders(settings, all, homedir()).flatMap(linksIn), next);
		for (const one of includedFiles(settings, dirname(file), homedir())) queue.push({ file: one, bases });
	}
	return { places, unread };
}

/** Where the configuration says that the files are. */
function worktreesIn(settings: readonly GitSetting[], bases: readonly string[]): readonly string[] {
	const named = settings.findLast(({ name }) => name === "core.worktree");
	return named === undefined ? [] : bases.slice(0, 1).map((directory) => resolve(directory, named.value));
}

/** Those of the worktrees that a Git directory has elsewhere. */
async function listWorktreeConfigs(directory: string): Promise<readonly ConfigFile[]> {
	const configs: ConfigFile[] = [];
	for (const own of listFolder(join(directory, "worktrees"))) {
		const file = join(own, "config.worktree");
		if (lookAt(file) === undefined) continue;
		const back = await readGitFile(join(own, "gitdir"));
		configs.push({ file, bases: [own, ...(back === undefined ? [] : [dirname(resolve(own, back.trim()))])] });
	}
	return configs;
}

/** Where links among the parts of a Git directory lead: Git follows them out of it. */
function linksOf(directory: string): readonly string[] {
	const parts = [...decidingParts(directory), join(directory, "info/attributes")].flatMap(targetOf);
	return [...parts, ...linksIn(join(directory, "hooks"))].filter((path) => !isInside(path, directory));
}

function linksIn(folder: string): readonly string[] {
	return listFolder(folder).flatMap(targetOf);
}

/** What a link names, which may be a link itself. */
function targetOf(path: string): readonly string[] {
	const target = lookAt(path)?.isSymbolicLink() ? tryReadlink(path) : undefined;
	return target === undefined ? [] : [resolve(findRealPath(dirname(path)).real, target)];
}

function listFolder(folder: string): readonly string[] {
	try {
		const names = lookAt(folder) === undefined ? [] : readdirSync(folder);
		return names.map((name) => join(folder, name));
	} catch {
		// Not a folder.
		return [];
	}
}

/** Nearly always there is a directory or nothing, and one look tells; undefined for a pointer file or a link. */
function findPlainGit(worktree: string): FoundGit | undefined {
	const directory = join(worktree, ".git");
	const stat = lookAt(directory);
	if (stat === undefined) return { kind: "none" };
	return stat.isDirectory() ? { kind: "directory", directory } : undefined;
}

/** Where the user's settings are. Read once, so that no turn depends on the environment. */
const SETTINGS = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");

/** What Git reads in all repositories of the user. */
function userConfigs(): readonly string[] {
	return [join(homedir(), ".gitconfig"), join(SETTINGS, "git/config"), "/etc/gitconfig"];
}

/** Parsed once per version of a file: commands follow each other, and configuration rarely changes. */
const parsed = new Map<string, { readonly stamp: string; readonly settings: readonly GitSetting[] }>();

async function readSettings(file: string): Promise<readonly GitSetting[] | "too long"> {
	const stat = lookAt(file);
	if (stat === undefined) return [];
	const stamp = `${stat.dev}:${stat.ino}:${stat.ctimeMs}:${stat.size}`;
	const known = parsed.get(file);
	if (known?.stamp === stamp && !stat.isSymbolicLink()) return known.settings;
	const read = await readSmallFile(file, MAX_CONFIG_BYTES, () => true);
	if (read.state === "read" && read.bytes > MAX_CONFIG_BYTES) return "too long";
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
	const isMissing = (path: string) => lookAt(path) === undefined || lookAt(traceLinks(path).real) === undefined;
	return [paths.filter((path) => lookAt(path) !== undefined), paths.filter(isMissing)];
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
