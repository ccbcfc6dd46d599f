import { dirname } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ResultOf } from "../../protocol/method.ts";
import { type Said, say } from "../../protocol/say.ts";
import type { Worktree, worktreeInspect, worktreeList } from "../../protocol/thread/worktree.ts";
import { type Home, makeFolders } from "../../store/home/home.ts";
import type { StoredWorktree, WorktreeFiles } from "../../store/home/worktree-files.ts";
import { GIT_CALLS } from "../../worktrees/git-calls.ts";
import { judgeDrop, judgeMerge } from "../../worktrees/judge-worktree.ts";
import type { Facts } from "../facts.ts";
import { createCallGit } from "./call-git.ts";
import type { FindUse } from "./find-use.ts";
import { isEnd, refuse } from "./git-end.ts";
import { lookAtWorktree } from "./look-at-worktree.ts";
import { mergeBranch } from "./merge-branch.ts";
import { checkTrust, type Plan, planWorktree } from "./plan-worktree.ts";
import { removeWorktree } from "./remove-worktree.ts";
import type { RunContained } from "./run-contained.ts";

/** Git worktrees that threads work in. Only the user makes, merges and drops them. */
export interface Worktrees {
	/** Reads what any window has made or dropped; turns and settings look at it through the facts. */
	readonly refresh: () => Promise<void>;
	readonly plan: (folder: string, branch: string | undefined) => Promise<Plan>;
	readonly add: (wanted: Pick<Plan, "folder" | "branch" | "digest">) => Promise<string>;
	readonly list: () => Promise<ResultOf<typeof worktreeList>["worktrees"]>;
	readonly inspect: (path: string) => Promise<ResultOf<typeof worktreeInspect>>;
	readonly merge: (path: string, message: string) => Promise<{ readonly into: string; readonly commits: number }>;
	/** Returns whether its branch is still there. */
	readonly drop: (path: string, keepBranch: boolean) => Promise<boolean>;
	/** One sentence for each worktree that a dead host has left half made or half removed. */
	readonly reportUnfinished: () => Promise<readonly Said[]>;
}

export interface WorktreeParts {
	readonly home: Pick<Home, "disk" | "folder" | "problem">;
	readonly files: WorktreeFiles;
	readonly facts: Facts;
	readonly runContained: RunContained;
	/** What a command of the workspace may touch now. */
	readonly policy: () => Promise<Policy>;
	readonly findUse: FindUse;
	readonly now: () => number;
}

export function createWorktrees({ home, files, facts, runContained, policy, findUse, now }: WorktreeParts): Worktrees {
	const call = createCallGit(runContained, policy);
	// Once: a turn that runs does not look at the facts.
	const known = facts.worktrees;
	const refresh = async (): Promise<void> => {
		known.list = await files.list();
	};
	const findOne = async (path: string): Promise<StoredWorktree> => {
		await refresh();
		const found = known.list.find((one) => one.path === path && one.state !== "dropped" && isHere(one, facts));
		if (found === undefined) throw refuse(say("worktree-gone", { path }));
		checkTrust(facts);
		return found;
	};
	const plan = async (folder: string, branch: string | undefined): Promise<Plan> => {
		await refresh();
		return planWorktree(folder, branch, { home, facts, call });
	};
	const look = async (path: string) => {
		const worktree = await findOne(path);
		return { worktree, found: await lookAtWorktree(worktree, { call, documents: facts.documents, findUse }) };
	};
	/** While no other window works on it. */
	const alone = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
		if (home.problem !== undefined) throw new HostError("storage-unavailable", home.problem);
		const held = await files.hold(path, work);
		if (held === undefined) throw refuse(say("worktree-busy", { path }));
		return held.done;
	};
	return {
		refresh,
		plan,
		async add({ folder, branch, digest }) {
			const { command: _, digest: shown, ...planned } = await plan(folder, branch);
			if (shown !== digest) throw refuse(say("worktree-outdated"));
			const { path } = planned;
			return alone(path, async () => {
				const worktree = { ...planned, madeAt: now() };
				await files.write({ ...worktree, state: "making" });
				await makeFolders(home.disk, dirname(path));
				const end = await call(GIT_CALLS.add(planned), "worktree", planned).catch((error: unknown) => error);
				if (!isEnd(end) || end.exitCode !== 0) {
					await removeWorktree({ ...worktree, state: "making" }, { call, home, files });
					throw isEnd(end) ? refuse(say("worktree-git", { reason: end.complaint })) : end;
				}
				await files.write({ ...worktree, state: "ready" });
				await refresh();
				return path;
			});
		},
		async list() {
			await refresh();
			const here = known.list.filter((one) => one.state !== "dropped" && isHere(one, facts));
			return here.map(show);
		},
		async inspect(path) {
			const { worktree, found } = await look(path);
			const { into = "HEAD", uncommitted, unmerged } = found;
			return { ...show(worktree), into, uncommitted: [...uncommitted], unmerged };
		},
		async merge(path, message) {
			return alone(path, async () => {
				const { worktree, found } = await look(path);
				const refusal = judgeMerge(found);
				if (refusal !== undefined) throw refuse(refusal);
				const { into = "HEAD", uncommitted } = found;
				return mergeBranch(worktree, { message, into, isCommitted: uncommitted.length === 0 }, call);
			});
		},
		async drop(path, keepBranch) {
			return alone(path, async () => {
				const { worktree, found } = await look(path);
				const refusal = judgeDrop(found, keepBranch);
				if (refusal !== undefined) throw refuse(refusal);
				const isBranchKept = await removeWorktree({ ...worktree, state: found.state }, { call, home, files });
				await refresh();
				return isBranchKept;
			});
		},
		async reportUnfinished() {
			if (home.problem !== undefined) return [];
			await refresh();
			const started = known.list.filter(({ state }) => state === "making" || state === "dropping");
			const left: Said[] = [];
			for (const { path } of started) {
				// A window that is at it right now holds it.
				const held = await files.hold(path, async () => say("worktree-left-over", { path }));
				if (held !== undefined) left.push(held.done);
			}
			return left;
		},
	};
}

/** Whether its repository's folder is open in this window. */
function isHere({ folder }: Worktree, { folders }: Pick<Facts, "folders">): boolean {
	return folders.some((open) => isInside(folder, open));
}

function show({ state, ...worktree }: StoredWorktree): ResultOf<typeof worktreeList>["worktrees"][number] {
	return { ...worktree, state: state === "ready" ? "ready" : "unfinished" };
}
