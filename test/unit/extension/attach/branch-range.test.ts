import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findBranchRange } from "../../../../extension/attach/branch-range.ts";
import type { Branch } from "../../../../extension/attach/git.ts";

const root = mkdtempSync(join(tmpdir(), "vitrine-branches-"));
after(() => rmSync(root, { recursive: true }));

const NOBODY = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];

function git(...words: readonly string[]): string {
	return execFileSync("git", ["-C", root, ...NOBODY, ...words], { encoding: "utf8", stdio: "pipe" }).trim();
}

function commit(message: string): string {
	git("commit", "--quiet", "--allow-empty", `--message=${message}`);
	return git("rev-parse", "HEAD");
}

// Two branches that left `main` and went on, as `main` did; one without any of it.
git("init", "--quiet", "--initial-branch=main");
const shared = commit("shared");
git("switch", "--quiet", "--create", "other");
commit("of the other");
git("switch", "--quiet", "--create", "feature", "main");
const own = commit("of the feature");
git("switch", "--quiet", "main");
const newest = commit("later on main");
git("switch", "--quiet", "--orphan", "apart");
commit("apart");
git("update-ref", "refs/remotes/origin/main", shared);

/** The repository as the editor's Git tells it, with real Git behind it. */
function aRepository(HEAD: Branch | undefined, base?: Branch): Parameters<typeof findBranchRange>[0] {
	return {
		state: { HEAD, workingTreeChanges: [], indexChanges: [] },
		getCommit: async (ref) => ({ hash: git("rev-parse", "--verify", `${ref}^{commit}`), message: "", parents: [] }),
		getMergeBase: async (one, other) => git("merge-base", one, other),
		getBranchBase: async () => base,
	};
}

function checkedOut(name: string, more: Partial<Branch> = {}): Branch {
	return { name, commit: git("rev-parse", name), ...more };
}

test("with a name, the range holds the current branch's commits since it left the named one", async () => {
	for (const name of ["main", "other"])
		assert.deepEqual(await findBranchRange(aRepository(checkedOut("feature")), name), {
			label: "feature",
			what: `branch feature since ${name}`,
			from: shared,
			to: own,
		});
	const detached = await findBranchRange(aRepository({ commit: own }), "main");
	assert.deepEqual([detached.label, detached.from, detached.to], [own.slice(0, 8), shared, own]);
});

test("without a name, the branch is compared with the base that Git knows, else with its upstream", async () => {
	const based = aRepository(checkedOut("feature"), { name: "main", commit: newest });
	assert.deepEqual(await findBranchRange(based), {
		label: "feature",
		what: "branch feature since main",
		from: shared,
		to: own,
	});
	const upstream = { remote: "origin", name: "main" };
	assert.deepEqual(await findBranchRange(aRepository(checkedOut("main", { upstream }))), {
		label: "main",
		what: "branch main since origin/main",
		from: shared,
		to: newest,
	});
});

test("if there is nothing to compare, one sentence gives the reason and the remedy", async () => {
	const feature = aRepository(checkedOut("feature"));
	const refused = (repository: typeof feature, name: string | undefined, message: string) =>
		assert.rejects(findBranchRange(repository, name), { message });
	await refused(feature, "feature", "“feature” is the current branch. Name the branch to compare it with.");
	await refused(feature, "nowhere", "There is no branch “nowhere” in this repository.");
	await refused(feature, "--output=x", "There is no branch “--output=x” in this repository.");
	await refused(feature, "apart", "The current branch and “apart” have no commit in common.");
	await refused(feature, own, `The current branch has no commits that “${own}” does not have.`);
	const unknown = "The base of this branch is unknown. Name the branch to compare it with: /review branch [name].";
	await refused(feature, undefined, unknown);
	const gone = { remote: "origin", name: "gone" };
	await refused(aRepository(checkedOut("main", { upstream: gone })), undefined, unknown);
	await refused(aRepository({ name: "main" }), "other", "The current branch has no commits.");
});
