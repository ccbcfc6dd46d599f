import { dirname } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import type { Worktree } from "../../protocol/thread/worktree.ts";
import { lookAtName } from "../../workspace/files/small-file.ts";
import { type GitWords, toGitArgv } from "../../worktrees/git-calls.ts";
import { listDeciding, listDecidingFolders, makeGitPolicy } from "../../worktrees/git-policy.ts";
import type { GitEnd } from "./git-end.ts";
import type { RunContained } from "./run-contained.ts";

/**
 * What a call writes: nothing, the repository's Git directory and the folder above the worktree, or that directory and
 * the repository's own folder.
 */
type GitCallKind = "ask" | "worktree" | "folder";

type Place = Pick<Worktree, "repository" | "folder"> & { readonly path?: string; readonly in?: "worktree" };

/** A Git call on a repository, or in one of its worktrees. */
export interface CallGit {
	(words: GitWords, kind: GitCallKind, at: Place): Promise<GitEnd>;
	/** Deletes what is at the worktree's path. */
	readonly clear: (at: Place & { readonly path: string }) => Promise<GitEnd>;
}

export function createCallGit(run: RunContained, policy: () => Promise<Policy>): CallGit {
	const call = async (words: GitWords, kind: GitCallKind, at: Place): Promise<GitEnd> => {
		const cwd = at.in === "worktree" ? (at.path ?? at.folder) : at.folder;
		return run(toGitArgv(words), cwd, await policyFor(await policy(), kind, at));
	};
	return Object.assign(call, {
		clear: async (at: Place & { readonly path: string }) => {
			const narrow = makeGitPolicy(await policy(), { reads: [], writes: [dirname(at.path)], kept: [], absent: [] });
			return run(["rm", "-rf", "--", at.path], at.folder, narrow);
		},
	});
}

/** Each worktree has a folder of its own above it, since Git can remove it only from there. */
async function policyFor(policy: Policy, kind: GitCallKind, { repository, folder, path }: Place): Promise<Policy> {
	const above = path === undefined ? [] : [dirname(path)];
	const deciding = listDeciding(repository);
	const present = await Promise.all(deciding.map(lookAtName));
	const kept = deciding.filter((_, index) => present[index] !== "none");
	const absent = listDecidingFolders(repository).filter((path) => !kept.includes(path));
	switch (kind) {
		case "ask":
			return makeGitPolicy(policy, { reads: [folder, repository, ...above], writes: [], kept: [], absent: [] });
		case "worktree":
			return makeGitPolicy(policy, { reads: [folder], writes: [repository, ...above], kept, absent });
		case "folder":
			return makeGitPolicy(policy, { reads: above, writes: [folder, repository], kept, absent });
	}
}
