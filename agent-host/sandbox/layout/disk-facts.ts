import { accessSync, constants, lstatSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { grantedAt, guardedRoots, writableRoots } from "../../permissions/reach/reach.ts";
import { isGlob, isPattern } from "../../protocol/settings/policy-settings.ts";
import { findProtected } from "../../workspace/files/find-protected.ts";
import { type DiskFacts, fixedPlaces, MAX_MOUNTS, type PathKind } from "./plan-layout.ts";

/** Limit for the files and folders visited for the policy's globs; a larger tree is refused, not searched in part. */
const MAX_WALKED = 200_000;

export type FactsOutcome =
	| { readonly ok: true; readonly facts: DiskFacts }
	| { readonly ok: false; readonly reason: string };

/**
 * Reads the disk facts that the layout of a policy depends on. The policy's paths must be real ones already.
 * Placeholders of other commands count as missing: they may be removed at any moment.
 */
export async function gatherDiskFacts(policy: Policy, active: () => ReadonlySet<string>): Promise<FactsOutcome> {
	const matches = await findMatches(policy);
	if (typeof matches === "string") return { ok: false, reason: matches };
	const present = policy.mode === "full" ? [] : await findProtected(guardedRoots(policy), policy.protect.names);
	const { kinds, links, lookAt } = createLook();
	for (const path of [...fixedPlaces(policy), ...present, ...matches]) lookAt(path);
	// Asked at the same time as the disk, so that a new placeholder is recognized.
	for (const path of active()) if (kinds.get(path) === "folder") kinds.delete(path);
	return { ok: true, facts: { kinds, links, present, matches } };
}

/** Examines each path once, parents first. */
function createLook() {
	const kinds = new Map<string, PathKind>([["/", "folder"]]);
	const links = new Map<string, string>();
	const ours = new Map<string, boolean>();
	const mayMakeIn = (folder: string): boolean => {
		const known = ours.get(folder) ?? isOurs(folder);
		ours.set(folder, known);
		return known;
	};
	const lookAt = (path: string): void => {
		if (kinds.has(path)) return;
		const folder = dirname(path);
		lookAt(folder);
		// Below a link is another place; below a file or a missing path is nothing.
		if (kinds.get(folder) !== "folder") return;
		const stat = tryLstat(path);
		if (stat === undefined) {
			if (!mayMakeIn(folder)) kinds.set(path, "sealed");
		} else if (stat.isSymbolicLink()) {
			kinds.set(path, "link");
			links.set(path, readlinkSync(path));
		} else kinds.set(path, stat.isDirectory() ? "folder" : "file");
	};
	return { kinds, links, lookAt };
}

function tryLstat(path: string) {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch {
		// No permission, or a file in place of a folder: then a command cannot get there either.
		return undefined;
	}
}

function isOurs(folder: string): boolean {
	try {
		accessSync(folder, constants.W_OK | constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/**
 * The matches of the globs below the workspace and the writable roots, and below the fixed part of an absolute glob.
 */
async function findMatches(policy: Policy): Promise<readonly string[] | string> {
	const closed = policy.filesystem.filter(isPattern);
	if (closed.length === 0) return [];
	const entries = [{ path: "/", access: "read" as const }, ...closed];
	const names = closed.map(({ path }) => path).join(", ");
	const starts = [...policy.folders, ...writableRoots(policy), ...closed.map(({ path }) => fixedPart(path))];
	const queue = [...new Set(starts.filter((path) => path !== "/"))];
	const walked = new Set<string>();
	const matches = new Set<string>();
	let count = 0;
	for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
		if (walked.has(folder)) continue;
		walked.add(folder);
		for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
			count += 1;
			const path = join(folder, entry.name);
			if (grantedAt(entries, path) === "none") matches.add(path);
			else if (entry.isDirectory()) queue.push(path);
		}
		if (count > MAX_WALKED) return `There are more than ${MAX_WALKED} files to check against ${names}.`;
		if (matches.size > MAX_MOUNTS) return `More than ${MAX_MOUNTS} files match ${names}; block their folders instead.`;
	}
	return [...matches];
}

function fixedPart(glob: string): string {
	const parts = glob.split("/");
	const fixed = parts.slice(0, parts.findIndex(isGlob));
	return glob.startsWith("/") ? `/${fixed.filter((part) => part !== "").join("/")}` : "/";
}
