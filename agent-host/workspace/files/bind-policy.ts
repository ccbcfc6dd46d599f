import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { grantedAt, guardedRoots, isInside } from "../../permissions/reach/reach.ts";
import { entryAt, isPattern } from "../../protocol/settings/policy-settings.ts";
import { findProtected } from "./find-protected.ts";
import { checkPath, nothingSeen, type SeenPaths, withRealPaths } from "./readable.ts";
import { findRealPath } from "./real-path.ts";

/** Limit for the names checked for links; in a larger tree the others are closed only by their own names. */
const MAX_NAMES = 200_000;

/**
 * Binds a policy to the disk once, for files, patches and commands. A closed file is closed under every name; a place
 * that a closed name once led to stays closed in this host, even if the link now leads elsewhere. `seen` are paths that
 * were examined a moment ago.
 */
export type BindPolicy = (policy: Policy, seen?: SeenPaths) => Promise<Policy>;

export function createBindPolicy(): BindPolicy {
	/** Where the closing names and patterns of a policy have led. */
	const led = new Map<string, Set<string>>();
	const remember = (name: string, places: readonly string[]): readonly string[] => {
		const known = led.get(name) ?? new Set();
		for (const place of places) known.add(place);
		led.set(name, known);
		return [...known];
	};
	return async (policy, seen = nothingSeen()) => {
		const bound = withRealPaths(policy, seen);
		// Most places of a policy do not exist, and nothing on the way to them is a link.
		const realOf = (path: string) => (checkPath(path, seen) === "missing" ? path : findRealPath(path).real);
		const entries = policy.filesystem.filter(({ access }) => access === "none");
		const closed = entries.map(({ path }) => path);
		const plain = entries.filter((entry) => !isPattern(entry));
		const names = plain.flatMap(({ path }) => remember(path, [realOf(path)]));
		const globs = entries.filter(isPattern).map(({ path }) => path);
		const links = globs.length === 0 ? [] : await findLinks(bound, globs);
		const behind = globs.flatMap((glob) =>
			remember(
				glob,
				links.flatMap((link) => (link.glob === glob ? [link.real] : [])),
			),
		);
		const secrets = policy.secrets.flatMap((path) => remember(path, [realOf(path)]));
		const more = [...new Set([...names, ...behind])].filter((path) => !closed.includes(path));
		const { protect } = bound;
		return {
			...bound,
			protect: { ...protect, paths: [...new Set([...protect.paths, ...(await findProtectedTargets(bound))])] },
			filesystem: [...bound.filesystem, ...more.map((path) => entryAt(path, "none"))],
			secrets: [...new Set([...bound.secrets, ...secrets])],
		};
	};
}

/**
 * Links whose names match a closing pattern, and their targets. One that leads to a whole workspace closes only itself.
 */
async function findLinks(
	{ folders }: Policy,
	globs: readonly string[],
): Promise<readonly { readonly glob: string; readonly real: string }[]> {
	const found: { readonly glob: string; readonly real: string }[] = [];
	const queue = [...folders];
	let count = 0;
	for (let folder = queue.pop(); folder !== undefined && count <= MAX_NAMES; folder = queue.pop()) {
		for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
			count += 1;
			const path = join(folder, entry.name);
			if (entry.isDirectory()) queue.push(path);
			if (!entry.isSymbolicLink()) continue;
			const glob = globs.find((one) => grantedAt([EVERYTHING, { path: one, access: "none" }], path) === "none");
			const { real } = findRealPath(path);
			if (glob !== undefined && !folders.some((root) => isInside(root, real))) found.push({ glob, real });
		}
	}
	return found;
}

/** The targets of protected names that are links. One that leads to a whole workspace protects only itself. */
async function findProtectedTargets(policy: Policy): Promise<readonly string[]> {
	const protectedOnes = await findProtected(guardedRoots(policy), policy.protect.names);
	const found = protectedOnes.map(findRealPath);
	const led = found.filter(({ via }) => via.length > 0).map(({ real }) => real);
	return led.filter((real) => !policy.folders.some((root) => isInside(root, real)));
}

const EVERYTHING = { path: "/", access: "read" } as const;
