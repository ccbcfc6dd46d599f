import { t } from "../../l10n/t.ts";
import { isGitRef } from "../../media/wire/git-ref.ts";
import type { Branch, Commit, Repository } from "./git.ts";

/** What the current branch has since it left another one: that of both, as Git's `base...HEAD` compares them. */
export interface BranchRange {
	/** The name of the branch; its commit if none is checked out. */
	readonly label: string;
	/** The same with what it is compared with. */
	readonly what: string;
	readonly from: string;
	readonly to: string;
}

type Refs = Pick<Repository, "state" | "getCommit" | "getMergeBase" | "getBranchBase">;

/** `name`: the branch that the current one is compared with; without one, the base that Git or its upstream tells. */
export async function findBranchRange(repository: Refs, name?: string): Promise<BranchRange> {
	const { HEAD } = repository.state;
	if (HEAD?.commit === undefined) throw new Error(t("The current branch has no commits."));
	if (name !== undefined && name === HEAD.name)
		throw new Error(t("“{0}” is the current branch. Name the branch to compare it with.", name));
	const base = name === undefined ? await findBase(repository, HEAD) : await findNamed(repository, name);
	const from = await repository.getMergeBase(base.commit, HEAD.commit).catch(() => undefined);
	if (from === undefined) throw new Error(t("The current branch and “{0}” have no commit in common.", base.name));
	if (from === HEAD.commit)
		throw new Error(t("The current branch has no commits that “{0}” does not have.", base.name));
	const label = HEAD.name ?? HEAD.commit.slice(0, 8);
	return { label, what: `branch ${label} since ${base.name}`, from, to: HEAD.commit };
}

/** What does not look like a name is not given to Git, which might take it for an option. */
export async function findCommit(
	repository: Pick<Repository, "getCommit">,
	ref: string,
	problem: string,
): Promise<Commit> {
	const found = isGitRef(ref) ? await repository.getCommit(ref).catch(() => undefined) : undefined;
	if (found === undefined) throw new Error(problem);
	return found;
}

interface Base {
	readonly name: string;
	readonly commit: string;
}

async function findNamed(repository: Refs, name: string): Promise<Base> {
	const { hash } = await findCommit(repository, name, t("There is no branch “{0}” in this repository.", name));
	return { name, commit: hash };
}

async function findBase(repository: Refs, { name, upstream }: Branch): Promise<Base> {
	const base = name === undefined ? undefined : await repository.getBranchBase(name).catch(() => undefined);
	if (base?.commit !== undefined) return { name: nameOf(base) ?? base.commit.slice(0, 8), commit: base.commit };
	const tracked = upstream && nameOf(upstream);
	const commit = tracked === undefined ? undefined : await repository.getCommit(tracked).catch(() => undefined);
	if (tracked === undefined || commit === undefined)
		throw new Error(
			t("The base of this branch is unknown. Name the branch to compare it with: /review branch [name]."),
		);
	return { name: tracked, commit: commit.hash };
}

function nameOf({ remote, name }: Pick<Branch, "remote" | "name">): string | undefined {
	return remote === undefined || name === undefined ? name : `${remote}/${name}`;
}
