import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { accessTo, enforcedAccess, protectedInEdit } from "../../permissions/reach/reach.ts";
import { entryAt } from "../../protocol/settings/policy-settings.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";

/**
 * Files of a Git directory that a plain call replaces: what is checked out, what is staged, and what is being merged.
 */
const REPLACED = [
	"HEAD",
	"index",
	"packed-refs",
	"ORIG_HEAD",
	"COMMIT_EDITMSG",
	"MERGE_HEAD",
	"MERGE_MSG",
	"MERGE_MODE",
	"AUTO_MERGE",
	"CHERRY_PICK_HEAD",
	"REVERT_HEAD",
];
/** Folders of a Git directory that it writes to. */
const WRITTEN = ["objects", "refs", "logs"];

/**
 * Lets a command write to a Git directory without touching what decides what Git runs. Git replaces its files by
 * renaming others, so the directory itself must be writable: the command gets a copy of it, with the real folders for
 * objects, branches and logs in it and everything else read-only. Afterwards the host takes over the files that a plain
 * call replaces.
 */
export interface RepositoryPlan {
	/** The Git directory. */
	readonly directory: string;
	/** Path of the copy. */
	readonly copy: string;
	readonly replaced: readonly string[];
	readonly written: readonly string[];
	/** Names in it that are read-only. */
	readonly read: readonly { readonly name: string; readonly kind: "folder" | "file" }[];
	readonly links: readonly { readonly name: string; readonly target: string }[];
}

/** The Git directory that a call in this folder would write to, if it is read-only for commands. */
export function findRepository(cwd: string, policy: Policy): string | undefined {
	if (policy.mode === "full") return undefined;
	for (let folder = findRealPath(cwd).real; enforcedAccess(policy, folder) === "write"; folder = dirname(folder)) {
		const directory = join(folder, ".git");
		const kind = kindOf(directory);
		// A pointer leads to a directory that is shared with others.
		if (kind !== undefined) return kind === "folder" && isKept(policy, directory) ? directory : undefined;
		if (folder === dirname(folder)) return undefined;
	}
	return undefined;
}

/** At any depth, it is found and protected when a command starts. */
function isKept(policy: Policy, directory: string): boolean {
	return accessTo(policy, directory) === "write" && protectedInEdit(policy, directory) !== undefined;
}

/** Undefined if the directory does not look as Git makes it. */
export function planRepository(directory: string, copy: string): RepositoryPlan | undefined {
	const names = namesIn(directory).filter((name) => !name.endsWith(".lock"));
	const kinds = new Map(names.map((name) => [name, kindOf(join(directory, name))] as const));
	const isWhole = ["objects", "refs"].every((name) => kinds.get(name) === "folder") && kinds.get("HEAD") === "file";
	const isAny = (all: readonly string[], kind: string) =>
		all.every((name) => !kinds.has(name) || kinds.get(name) === kind);
	// A link leads elsewhere, and reading from a planted pipe would never end.
	if (!isWhole || !isAny(WRITTEN, "folder") || !isAny(REPLACED, "file")) return undefined;
	const others = names.filter((name) => !REPLACED.includes(name) && !WRITTEN.includes(name));
	return {
		directory,
		copy,
		replaced: REPLACED,
		written: WRITTEN,
		read: others.flatMap((name) => {
			const kind = kinds.get(name);
			return kind === "folder" || kind === "file" ? [{ name, kind }] : [];
		}),
		links: others.flatMap((name) =>
			kinds.get(name) === "link" ? [{ name, target: readlinkSync(join(directory, name)) }] : [],
		),
	};
}

/** Bubblewrap options, which must come after all other mounts. */
export function repositoryOptions({ directory, copy, written, read }: RepositoryPlan): readonly string[] {
	const at = (name: string) => [join(directory, name), join(directory, name)];
	return [
		...["--bind", copy, directory],
		...written.flatMap((name) => ["--bind", ...at(name)]),
		// Commands must not write where alternate object stores are listed.
		...["--ro-bind-try", ...at("objects/info")],
		...read.flatMap(({ name }) => ["--ro-bind", ...at(name)]),
	];
}

/** The same for platforms whose path rules also cover missing files: then no copy is needed. */
export function withRepository(policy: Policy, directory: string): Policy {
	const read = DECIDING.map((name) => entryAt(join(directory, name), "read"));
	return { ...policy, filesystem: [...policy.filesystem, entryAt(directory, "write"), ...read] };
}

/** What decides what Git runs, and where it looks for the rest. */
const DECIDING = [
	"config",
	"config.worktree",
	"hooks",
	"info",
	"modules",
	"worktrees",
	"commondir",
	"gitdir",
	"objects/info",
];

function namesIn(folder: string): readonly string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function kindOf(path: string): "folder" | "file" | "link" | "other" | undefined {
	const stat = lstatSync(path, { throwIfNoEntry: false });
	if (stat === undefined) return undefined;
	if (stat.isSymbolicLink()) return "link";
	if (stat.isDirectory()) return "folder";
	return stat.isFile() ? "file" : "other";
}
