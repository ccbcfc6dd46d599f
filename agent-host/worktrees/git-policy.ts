import { join } from "node:path";
import type { Policy } from "../permissions/policy/policy.ts";
import { asReadOnly } from "../permissions/resolve/resolve-policy.ts";
import { entryAt } from "../protocol/settings/policy-settings.ts";
import { GIT_VARIABLES } from "./git-calls.ts";

/** What a Git call may touch besides what the user's policy lets commands read. */
export interface GitReach {
	readonly reads: readonly string[];
	readonly writes: readonly string[];
	/** Below `writes`, and read-only all the same; only what exists. */
	readonly kept: readonly string[];
	/** Missing folders below `writes` that must not come into being. */
	readonly absent: readonly string[];
}

/**
 * The policy of a Git call that the user has approved: it reads what commands of the workspace read, writes nothing but
 * `writes`, and has no network. Nothing below `writes` is watched for planted files, because Git itself makes them.
 */
export function makeGitPolicy(policy: Policy, { reads, writes, kept, absent }: GitReach): Policy {
	const { plan: _, noSandbox: __, ...rest } = policy;
	return {
		...rest,
		mode: "workspaceWrite",
		commands: true,
		filesystem: [
			...policy.filesystem.map(asReadOnly),
			...reads.map((path) => entryAt(path, "read")),
			...writes.map((path) => entryAt(path, "write")),
			...kept.map((path) => entryAt(path, "read")),
		],
		network: { kind: "off" },
		protect: { names: [], paths: absent, free: writes },
		environment: { ...policy.environment, set: { ...policy.environment.set, ...GIT_VARIABLES } },
		rules: [],
	};
}

/** The parts of a Git directory that decide what Git runs and where it looks for the rest. */
export function listDeciding(directory: string): readonly string[] {
	return DECIDING.map((name) => join(directory, name));
}

/** Those of them that are folders: an empty one in place of a missing one means nothing to Git. */
export function listDecidingFolders(directory: string): readonly string[] {
	return FOLDERS.map((name) => join(directory, name));
}

const FOLDERS = ["hooks", "info", "modules", "objects/info"];
const DECIDING = ["config", "config.worktree", ...FOLDERS];
