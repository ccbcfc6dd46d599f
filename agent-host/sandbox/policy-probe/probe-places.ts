import { accessSync, constants, existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { homedir, networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { enforcedAccess, guardedRoots, isPrivate, writableRoots } from "../../permissions/reach/reach.ts";
import { isPattern } from "../../protocol/settings/policy-settings.ts";
import { findProtected } from "../../workspace/files/find-protected.ts";
import type { CommandRequest } from "../backend.ts";
import { commandEnvironment } from "../command/command-environment.ts";
import { keptNames } from "../layout/plan-layout.ts";
import { processStartTime } from "../process-start-time.ts";
import type { ProbePlaces } from "./attempts.ts";

/** Number of places of each kind that are tried. */
const MAX_EACH = 3;
/** Limit for the names in a folder that are searched for one that a glob closes. */
const MAX_NAMES = 1_000;

/** The places on this machine to test a policy on. `policy` must be bound to the disk. */
export async function findPlaces(
	policy: Policy,
	{ cwd, environment }: Pick<CommandRequest, "cwd" | "environment">,
	fresh: string,
): Promise<ProbePlaces> {
	// Files in a command's temporary folder are invisible to everyone else.
	const isOutside = (folder: string) => enforcedAccess(policy, folder) !== "write" && !isPrivate(policy, folder);
	const outside = [cwd, dirname(cwd), homedir(), "/", "/var/tmp"].map(toRealPath).filter((folder) => isOutside(folder));
	// In full access nothing is protected.
	const isGuarded = policy.mode !== "full";
	const groups = [
		writableRoots(policy),
		outside,
		isGuarded ? await findProtected(guardedRoots(policy), policy.protect.names) : [],
	];
	const node = toRealPath(process.execPath);
	return {
		cwd: toRealPath(cwd),
		folders: [...new Set(groups.flatMap((group) => group.filter(isOurFolder).slice(0, MAX_EACH)))],
		missing: isGuarded ? missingNames(policy).slice(0, 1) : [],
		closed: [...new Set(closedPlaces(policy))].slice(0, MAX_EACH),
		fresh,
		node: enforcedAccess(policy, node) === "none" ? undefined : node,
		variable: hiddenVariable(environment, policy, cwd),
		host: { pid: process.pid, processStartTime: processStartTime(process.pid) },
		isOnline: Object.values(networkInterfaces()).some((all) => all?.some(({ internal }) => !internal)),
	};
}

/** A folder that only the policy makes read-only: what the system refuses anyway proves nothing. */
function isOurFolder(path: string): boolean {
	try {
		accessSync(path, constants.W_OK | constants.X_OK);
		return lstatSync(path).isDirectory();
	} catch {
		return false;
	}
}

function missingNames(policy: Policy): readonly string[] {
	const names = keptNames(policy);
	const roots = guardedRoots(policy).filter(isOurFolder);
	return roots.flatMap((root) => names.map((name) => join(root, name))).filter((path) => !existsSync(path));
}

/** One of each: closed by an entry, closed by a glob, and the secrets, with our own folder last. */
function closedPlaces(policy: Policy): readonly string[] {
	const entries = policy.filesystem.flatMap((entry) =>
		entry.access === "none" && !isPattern(entry) ? [entry.path] : [],
	);
	// The sandbox has its own root, which only contains the paths to open places.
	const isClosed = (path: string) => path !== "/" && enforcedAccess(policy, path) === "none" && isPlain(path);
	const globbed = policy.folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
	const found = [entries, globbed, policy.secrets, policy.secrets.toReversed()].map((group) => group.find(isClosed));
	return found.filter((path) => path !== undefined);
}

/** Opening anything else, such as a pipe, may block. */
function isPlain(path: string): boolean {
	try {
		const stat = lstatSync(path);
		return stat.isFile() || stat.isDirectory();
	} catch {
		return false;
	}
}

function namesIn(folder: string): readonly string[] {
	try {
		return readdirSync(folder).slice(0, MAX_NAMES);
	} catch {
		return [];
	}
}

function hiddenVariable(host: CommandRequest["environment"], policy: Policy, cwd: string): string | undefined {
	const given = commandEnvironment(host, policy, cwd);
	// A shell sets some variables on its own.
	return Object.keys(host).find((name) => /^[A-Z]{3,}_[A-Z_]+$/.test(name) && !(name in given));
}

function toRealPath(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		return path;
	}
}
