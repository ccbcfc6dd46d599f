import { basename, join } from "node:path";
import { digestValue } from "../../permissions/policy/policy.ts";
import type { ResultOf } from "../../protocol/method.ts";
import { say } from "../../protocol/say.ts";
import type { Worktree, worktreePlan } from "../../protocol/thread/worktree.ts";
import type { Home } from "../../store/home/home.ts";
import type { StoredWorktree } from "../../store/home/worktree-files.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import { GIT_CALLS, type GitWords } from "../../worktrees/git-calls.ts";
import { chooseBranch, isBranchName, nameFolder } from "../../worktrees/name-branch.ts";
import type { Facts } from "../facts.ts";
import type { CallGit } from "./call-git.ts";
import { findSharedDirectory } from "./find-repository.ts";
import { must, refuse } from "./git-end.ts";

export type Plan = ResultOf<typeof worktreePlan>;

/** What making a worktree would do. The same repository gives the same plan, so that an approval can be held to it. */
export async function planWorktree(
	folder: string,
	wanted: string | undefined,
	{
		home,
		facts,
		call,
	}: {
		readonly home: Pick<Home, "folder">;
		readonly facts: Pick<Facts, "folders" | "trusted" | "worktrees">;
		readonly call: CallGit;
	},
): Promise<Plan> {
	checkTrust(facts);
	if (!facts.folders.includes(folder)) throw refuse(say("folder-not-open", { cwd: folder }));
	const repository = await findSharedDirectory(folder);
	if (repository === undefined) throw refuse(say("worktree-no-repository", { folder }));
	const ask = (words: GitWords) => call(words, "ask", { repository, folder });
	const head = await ask(GIT_CALLS.head);
	if (head.exitCode !== 0) throw refuse(say("worktree-no-commit", { folder }));
	const commit = head.stdout.trim();
	const branches = must(await ask(GIT_CALLS.branches))
		.split("\n")
		.filter((name) => name !== "");
	const branch = wanted ?? chooseBranch(branches);
	if (!isBranchName(branch)) throw refuse(say("worktree-branch-name", { branch }));
	if (branches.includes(branch)) throw refuse(say("worktree-branch-taken", { branch }));
	const from = (await ask(GIT_CALLS.headBranch)).stdout.trim() || commit.slice(0, SHORT_COMMIT);
	const path = choosePath(home, { repository, branch, commit, folder }, facts.worktrees.list);
	const planned = { folder, path, repository, branch, from, commit };
	const command = ["git", ...GIT_CALLS.add(planned)].join(" ");
	return { ...planned, command, digest: digestValue({ ...planned, command }) };
}

export function checkTrust({ trusted }: Pick<Facts, "trusted">): void {
	if (!trusted) throw refuse(say("worktree-not-trusted"));
}

const SHORT_COMMIT = 12;
const TAIL_CHARS = 8;

/**
 * In the folder of all worktrees: beside the home folder, which is closed to commands, and in no workspace. Never a path
 * that was used before, so that a thread of a dropped worktree is not in another one.
 */
function choosePath(
	home: Pick<Home, "folder">,
	about: Pick<Worktree, "repository" | "branch" | "commit" | "folder">,
	known: readonly StoredWorktree[],
): string {
	const root = findRealPath(`${home.folder}-worktrees`).real;
	const used = new Set(known.map(({ path }) => path));
	for (let number = 0; ; number += 1) {
		const tail = digestValue({ ...about, number }).slice(0, TAIL_CHARS);
		const path = join(root, nameFolder(about.branch, tail), basename(about.folder));
		if (!used.has(path)) return path;
	}
}
