import type { Worktree } from "../protocol/thread/worktree.ts";

/** Words for Git after its name. */
export type GitWords = readonly string[];

/**
 * Options of every call: no hook, no file monitor and no upkeep in the background, since a repository could run anything
 * through them, and no other repository is entered.
 */
const GUARDED: GitWords = [
	...["-c", "core.hooksPath=/dev/null"],
	...["-c", "core.fsmonitor=false"],
	...["-c", "submodule.recurse=false"],
	...["-c", "gc.auto=0"],
	...["-c", "maintenance.auto=false"],
	...["-c", "core.quotePath=false"],
];

export function toGitArgv(words: GitWords): readonly string[] {
	return ["git", ...GUARDED, ...words];
}

/** The variables of every call. */
export const GIT_VARIABLES = { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", LC_ALL: "C" };

/** What Git merges a file with that has no driver. */
const BUILT_IN_MERGE = "git merge-file --quiet --marker-size=%L %A %O %B";

/**
 * A merge without the drivers of any configuration: the attributes of the branch would choose which of them runs on
 * which file, where it can write to the repository and its folder.
 */
export function withoutDrivers(words: GitWords, drivers: readonly string[]): GitWords {
	return [...drivers.flatMap((name) => ["-c", `merge.${name}.driver=${BUILT_IN_MERGE}`]), ...words];
}

/** The same for filters: every file is taken as it is. */
export function withoutFilters(words: GitWords, filters: readonly string[]): GitWords {
	const off = ["clean=", "smudge=", "process=", "required=false"];
	return [...filters.flatMap((name) => off.flatMap((value) => ["-c", `filter.${name}.${value}`])), ...words];
}

/** The branch of a worktree by its whole name, so that a tag or a path with the same name is never meant. */
function wholeName({ branch }: Pick<Worktree, "branch">): string {
	return `refs/heads/${branch}`;
}

export const GIT_CALLS = {
	head: ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
	/** Fails without a word if no branch is checked out. */
	headBranch: ["symbolic-ref", "--quiet", "--short", "HEAD"],
	branches: ["for-each-ref", "--format=%(refname:short)", "refs/heads"],
	status: ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=none", "--no-renames"],
	add: ({ path, branch, commit }: Pick<Worktree, "path" | "branch" | "commit">): GitWords => [
		...["worktree", "add", "--no-track", "-b", branch],
		...["--", path, commit],
	],
	/** The names of settings that hold programs which attributes choose by name; ends with 1 if there are none. */
	programs: [
		...["config", "--null", "--name-only", "--get-regexp"],
		"^(merge|filter)\\..+\\.(driver|clean|smudge|process)$",
	],
	/** The files that the attributes in a folder give this filter, new ones included. */
	filtered: (filter: string): GitWords => [
		...["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
		...["--", `:(attr:filter=${filter})`],
	],
	/** Which filter the attributes in a folder give each of these files. */
	filtersOf: ({ files }: { readonly files: readonly string[] }): GitWords => [
		"check-attr",
		"-z",
		"filter",
		"--",
		...files,
	],
	unmerged: (of: Pick<Worktree, "branch">): GitWords => ["rev-list", "--count", `HEAD..${wholeName(of)}`, "--"],
	/** The commit of its branch. */
	tip: (of: Pick<Worktree, "branch">): GitWords => ["rev-parse", "--verify", "--quiet", `${wholeName(of)}^{commit}`],
	stageAll: ["add", "--all"],
	commit: (message: string): GitWords => ["commit", "--quiet", "--no-verify", "--no-gpg-sign", `--message=${message}`],
	/** Merges without touching any file: ends with 1 on conflicts, and names their files after the tree. */
	tryMerge: (of: Pick<Worktree, "branch">): GitWords => [
		...["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z"],
		...["HEAD", wholeName(of)],
	],
	merge: (of: Pick<Worktree, "branch">): GitWords => [
		...["merge", "--quiet", "--no-edit", "--no-verify", "--no-gpg-sign", "--no-autostash", "--no-stat"],
		...[`--message=Merge branch '${of.branch}'`, wholeName(of)],
	],
	/** The files that a merge would add to the folder, given the tree that was tried. */
	added: (tree: string): GitWords => [
		...["diff", "--name-only", "--no-renames", "--diff-filter=A", "-z"],
		...["HEAD", tree, "--"],
	],
	/** Which of these files the folder has and the repository has not, ignored ones included. */
	untracked: ({ files }: { readonly files: readonly string[] }): GitWords => [
		...["--literal-pathspecs", "ls-files", "-z", "--others"],
		...["--", ...files],
	],
	/** Fails without a word if no merge has begun. */
	mergeHead: ["rev-parse", "--verify", "--quiet", "MERGE_HEAD"],
	abortMerge: ["merge", "--abort"],
	/** Git refuses if anything there is not committed. */
	remove: ({ path }: Pick<Worktree, "path">): GitWords => ["worktree", "remove", "--", path],
	/** Only for one that no thread has used yet. */
	removeUnfinished: ({ path }: Pick<Worktree, "path">): GitWords => [
		...["worktree", "remove", "--force", "--force"],
		...["--", path],
	],
	unlock: ({ path }: Pick<Worktree, "path">): GitWords => ["worktree", "unlock", "--", path],
	prune: ["worktree", "prune"],
	/** Only if it is merged. */
	deleteBranch: ({ branch }: Pick<Worktree, "branch">): GitWords => ["branch", "--quiet", "--delete", "--", branch],
} as const;

/** The files of a status that was read with `-z`, as Git names them; `present`: only those that are still there. */
export function readStatus(text: string, which: "all" | "present"): readonly string[] {
	const lines = text.split("\0").filter((line) => line.length > STATUS_LETTERS);
	return lines.filter((line) => which === "all" || !line.startsWith(" D")).map((line) => line.slice(STATUS_LETTERS));
}

/** Two letters and a space. */
const STATUS_LETTERS = 3;

/** The names of merge drivers and filters in the answer to `programs`. */
export function readPrograms(text: string): {
	readonly drivers: readonly string[];
	readonly filters: readonly string[];
} {
	const keys = text.split("\0").filter((key) => key !== "");
	const namesIn = (section: string) => {
		const own = keys.filter((key) => key.startsWith(section));
		return [...new Set(own.map((key) => key.slice(section.length, key.lastIndexOf("."))))];
	};
	return { drivers: namesIn("merge."), filters: namesIn("filter.") };
}

/** The files of an answer to `filtersOf` that have another filter than this one. */
export function readOtherFiltered(text: string, filter: string): readonly string[] {
	const fields = text.split("\0");
	const starts = fields.flatMap((_, index) => (index % 3 === 0 && fields[index + 2] !== undefined ? [index] : []));
	return starts.flatMap((start) => (fields[start + 2] === filter ? [] : fields.slice(start, start + 1)));
}

/** The tree in the answer to `tryMerge`, and the files with conflicts. */
export function readTried(text: string): { readonly tree: string; readonly conflicts: readonly string[] } {
	const [tree = "", ...files] = text.split("\0");
	return { tree: tree.trim(), conflicts: [...new Set(files.filter((file) => file !== ""))] };
}

/** The names of files in an answer with `-z`. */
export function readFiles(text: string): readonly string[] {
	return text.split("\0").filter((file) => file !== "");
}

/** What Git said last, in one line. */
export function readComplaint(text: string): string {
	const lines = text.split("\n").map((line) => line.trim());
	const found = lines.filter((line) => line !== "" && !line.startsWith("hint:"));
	const fatal = found.find((line) => /^(?:fatal|error):/.test(line)) ?? found.at(-1) ?? "";
	return fatal.replace(/^(?:fatal|error): /, "").slice(0, MAX_COMPLAINT_CHARS);
}

const MAX_COMPLAINT_CHARS = 300;
