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
import type { TrialPlaces } from "./attempts.ts";

/** So many of each kind are tried. */
const MAX_EACH = 3;
/** Names looked at in a folder for one that a glob closes. */
const MAX_NAMES = 1_000;

/** What of this machine there is to try a policy on. `policy` is bound to the disk already. */
export function findPlaces(
	policy: Policy,
	{ cwd, environment }: Pick<CommandRequest, "cwd" | "environment">,
	fresh: string,
): TrialPlaces {
	// What a command makes among its own temporary files is not there for anybody else.
	const isOutside = (folder: string) => enforcedAccess(policy, folder) !== "write" && !isPrivate(policy, folder);
	const outside = [cwd, dirname(cwd), homedir(), "/", "/var/tmp"].map(realOf).filter((folder) => isOutside(folder));
	// With full access nothing is protected.
	const isGuarded = policy.mode !== "full";
	const groups = [
		writableRoots(policy),
		outside,
		isGuarded ? findProtected(guardedRoots(policy), policy.protect.names) : [],
	];
	const node = realOf(process.execPath);
	return {
		cwd: realOf(cwd),
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

/** A folder that the policy alone keeps from being written to: what the system refuses anyway proves nothing. */
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

/** One of each: what an entry closes, what a glob does, and the secrets, our own folder last. */
function closedPlaces(policy: Policy): readonly string[] {
	const entries = policy.filesystem.flatMap((entry) =>
		entry.access === "none" && !isPattern(entry) ? [entry.path] : [],
	);
	// The root of a sandbox is its own, with nothing but the way to what is open.
	const isClosed = (path: string) => path !== "/" && enforcedAccess(policy, path) === "none" && isPlain(path);
	const globbed = policy.folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
	const found = [entries, globbed, policy.secrets, policy.secrets.toReversed()].map((group) => group.find(isClosed));
	return found.filter((path) => path !== undefined);
}

/** To open anything else, such as a pipe, may wait for ever. */
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
	// A shell sets some by itself.
	return Object.keys(host).find((name) => /^[A-Z]{3,}_[A-Z_]+$/.test(name) && !(name in given));
}

function realOf(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		return path;
	}
}
