import { MAX_BRANCH_CHARS } from "../protocol/thread/worktree.ts";

/** Branches that Vitrine names are below this, like a folder. */
const PREFIX = "vitrine";

/** The first free name. A branch that is called like the prefix leaves no room below it, so a dash takes its place. */
export function chooseBranch(taken: readonly string[]): string {
	const known = new Set(taken.map((name) => name.toLowerCase()));
	const separator = known.has(PREFIX) ? "-" : "/";
	for (let number = 1; ; number += 1) {
		const name = `${PREFIX}${separator}work-${number}`;
		if (!known.has(name)) return name;
	}
}

/** Whether Git accepts a name for a branch, and no program can take it for an option or for several words. */
export function isBranchName(name: string): boolean {
	if (name.length === 0 || name.length > MAX_BRANCH_CHARS || name === "HEAD" || name === "@") return false;
	if (name.startsWith("-") || name.endsWith(".") || FORBIDDEN.test(name)) return false;
	return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.toLowerCase().endsWith(".lock"));
}

// Spaces, control and invisible characters, and what Git uses in names of revisions.
const FORBIDDEN = /[\s\p{C}~^:?*[\\"'`$;&|<>(){}!]|\.\.|@\{/u;

/** The name of a folder after a branch: plain letters, digits, dots and dashes, then `tail`, which makes it unique. */
export function nameFolder(branch: string, tail: string): string {
	const plain = branch
		.replace(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^[.-]+|[.-]+$/g, "")
		.slice(0, MAX_FOLDER_CHARS);
	return `${plain === "" ? "worktree" : plain}-${tail}`;
}

const MAX_FOLDER_CHARS = 60;
