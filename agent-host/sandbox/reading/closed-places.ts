import { accessSync, constants, existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { ClosedPlaces } from "../../permissions/policy/policy.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { listGitFiles } from "./git-files.ts";
import { createIsWritten, findProgramRoots } from "./program-roots.ts";
import { TOOLCHAIN_VARIABLES, TOOLCHAINS } from "./toolchains.ts";
import { findWritablePipes } from "./writable-pipes.ts";

export interface Machine {
	readonly home: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Folders that commands write to, in any mode. Nothing in them decides what is open. */
	readonly written: readonly string[];
}

/** Where users' files are. */
const HOMES = ["/home", "/root", "/Users"];
/** Where a machine or a container passes secrets to programs, and what belongs to the desktop session. */
const HANDED_OVER = [
	"/run/secrets",
	"/var/run/secrets",
	"/run/credentials",
	"/run/keys",
	"/run/user",
	// The user's secrets in a codespace, beside the workspace.
	"/workspaces/.codespaces",
];
/** Folders that contain files only root may read; a command run by root does not need those. */
const OF_ROOT = ["/", "/etc", "/etc/ssh", "/etc/ssl", "/var", "/var/lib", "/var/spool", "/opt", "/srv"];
/** Limits for how many are closed, and opened again: each adds to the start time of every command. */
const [MAX_OF_ROOT, MAX_OPEN] = [64, 40];
/** The Windows side of a machine has a home folder for each user too. */
const DRIVES = "/mnt";
const SYSTEM_MOUNTS = ["/dev", "/run", "/tmp", "/var/tmp", "/sys", "/proc"];
const OTHERS_MAY_READ = 0o004;
const NAMES_A_SECRET = /CREDENTIAL|SECRET|TOKEN|PASS|PRIVATE|API_?KEY|KUBECONFIG|NETRC|DOCKER_CONFIG|CLOUDSDK_CONFIG/i;

/** Readable places of this machine that are hidden from commands, except for what development work needs. */
export function findClosedPlaces(machine: Machine): ClosedPlaces {
	const { places, needed } = survey(machine);
	return { places, except: needed.slice(0, MAX_OPEN) };
}

/** What development work needs and is not opened, because there is more than the limit. */
export function findUnopened(machine: Machine): readonly string[] {
	return survey(machine).needed.slice(MAX_OPEN);
}

function survey(machine: Machine): { readonly places: readonly string[]; readonly needed: readonly string[] } {
	const places = [...new Set(listClosed(machine))].filter(isThere);
	const isClosed = (path: string) => places.some((place) => isInside(path, place));
	const known = listToolchains(machine);
	const parts = known.flatMap((toolchain) => toolchain.parts);
	// Only the listed parts of a known folder are opened, even if it is on PATH.
	const partly = known.filter(({ folder, parts }) => !parts.includes(folder)).map(({ folder }) => folder);
	const isWritten = createIsWritten(machine.written);
	const programs = findProgramRoots(machine.environment.PATH, [machine.home, ...partly], isClosed, isWritten);
	const toolchains = [...listGitFiles(machine.home, isWritten), ...parts].filter(
		(path) => isClosed(path) && isThere(path),
	);
	return { places, needed: outermost([...programs, ...toolchains]) };
}

function listClosed({ home, environment }: Machine): readonly string[] {
	return [
		home,
		...HOMES,
		...HANDED_OVER,
		...findWritablePipes(),
		...namesIn(DRIVES).map((drive) => join(DRIVES, drive, "Users")),
		...findMountedSecrets(),
		...findNamedSecrets(environment),
		...(process.getuid?.() === 0 ? listRootOnly() : []),
	];
}

/** A secret mounted into a container is in memory, at any path. */
function findMountedSecrets(): readonly string[] {
	const mounts = readText("/proc/self/mountinfo").split("\n");
	const inMemory = mounts.filter((line) => / - tmpfs /.test(line)).flatMap((line) => line.split(" ", 5)[4] ?? []);
	return inMemory.filter((path) => path !== "/" && !SYSTEM_MOUNTS.some((place) => isInside(path, place)));
}

/** Secret files that the host's environment names. */
function findNamedSecrets(environment: Machine["environment"]): readonly string[] {
	const named = Object.entries(environment).filter(([name]) => NAMES_A_SECRET.test(name));
	return named.flatMap(([, value]) => (value !== undefined && isAbsolute(value) && value !== "/" ? [value] : []));
}

function listRootOnly(): readonly string[] {
	const found = OF_ROOT.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
	return found.filter((path) => !othersMayRead(path)).slice(0, MAX_OF_ROOT);
}

function othersMayRead(path: string): boolean {
	const stat = lstatSync(path, { throwIfNoEntry: false });
	if (stat === undefined || stat.isSymbolicLink() || !(stat.isFile() || stat.isDirectory())) return true;
	return (stat.mode & OTHERS_MAY_READ) !== 0;
}

interface Toolchain {
	readonly folder: string;
	/** The folder itself if all of it may be read. */
	readonly parts: readonly string[];
}

function listToolchains({ home, environment }: Machine): readonly Toolchain[] {
	const toolchainAt = (folder: string, like: string): Toolchain => {
		const parts = like === "all" ? "all" : (TOOLCHAINS[like] ?? "all");
		return { folder, parts: parts === "all" ? [folder] : parts.map((part) => join(folder, part)) };
	};
	const usual = Object.keys(TOOLCHAINS).map((name) => toolchainAt(join(home, name), name));
	const moved = Object.entries(TOOLCHAIN_VARIABLES).flatMap(([name, like]) => {
		const folder = environment[name];
		return folder === undefined || !isAbsolute(folder) || isInside(home, folder) ? [] : [toolchainAt(folder, like)];
	});
	return [...moved, ...usual];
}

function outermost(paths: readonly string[]): readonly string[] {
	const all = [...new Set(paths)];
	return all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
}

/** What the host itself may not read is closed already. */
function isThere(path: string): boolean {
	// Checked first, because most do not exist and an error takes far longer.
	if (!existsSync(path)) return false;
	try {
		accessSync(path, constants.R_OK);
		return true;
	} catch {
		return false;
	}
}

function namesIn(folder: string): readonly string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}
