import { realpath } from "node:fs/promises";
import type { Policy } from "../permissions/policy.ts";
import { isInside, mayRead } from "../permissions/reach.ts";
import { isGlob } from "../protocol/policy.ts";

/** Whether a place may be read. Ask about where a file really lies, never about a path that may hold links. */
export type Readable = (realPath: string) => boolean;

/** Binds a policy to the disk: its paths hold for where they lead as well as for how they are spelled. */
export async function readableUnder(policy: Policy): Promise<Readable> {
	const real = await withRealPaths(policy);
	return (path) => real.folders.some((folder) => isInside(path, folder)) && mayRead(real, path);
}

/** The policy with every path that leads elsewhere through a link named in both spellings. */
export async function withRealPaths(policy: Policy): Promise<Policy> {
	const entries = await Promise.all(
		policy.filesystem.map(async (entry) => {
			const real = isGlob(entry.path) ? entry.path : await whereItLies(entry.path);
			return real === entry.path ? [entry] : [entry, { ...entry, path: real }];
		}),
	);
	const secrets = await Promise.all(policy.secrets.map(async (path) => [path, await whereItLies(path)]));
	const folders = await Promise.all(policy.folders.map(whereItLies));
	const guarded = await Promise.all(policy.protect.paths.map(async (path) => [path, await whereItLies(path)]));
	const free = await Promise.all(policy.protect.free.map(async (path) => [path, await whereItLies(path)]));
	return {
		...policy,
		filesystem: entries.flat(),
		folders,
		secrets: [...new Set(secrets.flat())],
		protect: {
			...policy.protect,
			paths: [...new Set(guarded.flat())],
			free: [...new Set(free.flat())],
		},
	};
}

function whereItLies(path: string): Promise<string> {
	return realpath(path).catch(() => path);
}
