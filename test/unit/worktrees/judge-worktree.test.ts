import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { listFiles } from "../../../agent-host/protocol/say.ts";
import { judgeDrop, judgeMerge, type WorktreeFacts } from "../../../agent-host/worktrees/judge-worktree.ts";

const CLEAN: WorktreeFacts = {
	worktree: { path: "/wt/a/work", branch: "one", folder: "/work" },
	state: "ready",
	checkedOut: "one",
	into: "main",
	uncommitted: [],
	unmerged: 0,
	unsaved: { here: [], there: [] },
	use: undefined,
};

const facts: fc.Arbitrary<WorktreeFacts> = fc.record({
	worktree: fc.constant(CLEAN.worktree),
	state: fc.constantFrom("making", "ready", "dropping"),
	checkedOut: fc.constantFrom("one", "other", undefined),
	into: fc.constantFrom("main", undefined),
	uncommitted: fc.array(fc.constantFrom("a.txt", "b/")),
	unmerged: fc.nat(3),
	unsaved: fc.record({ here: fc.array(fc.constant("/wt/a/work/x")), there: fc.array(fc.constant("/work/y")) }),
	use: fc.constantFrom("running", "elsewhere", undefined),
});

test("a worktree with uncommitted, unsaved, running or other-branch work is never dropped, whatever else holds", () => {
	fc.assert(
		fc.property(facts, fc.boolean(), (found, keepBranch) => {
			const isDropped = judgeDrop(found, keepBranch) === undefined;
			if (found.state === "making") return isDropped;
			const isLost =
				found.uncommitted.length > 0 ||
				found.unsaved.here.length > 0 ||
				found.use !== undefined ||
				(found.state === "ready" && found.checkedOut !== "one") ||
				(found.unmerged > 0 && !keepBranch);
			return isDropped === !isLost;
		}),
	);
});

test("each refusal is one sentence that says what to do", () => {
	const drop = (change: Partial<WorktreeFacts>) => judgeDrop({ ...CLEAN, ...change }, false)?.text;
	const merge = (change: Partial<WorktreeFacts>) => judgeMerge({ ...CLEAN, unmerged: 1, ...change })?.text;
	assert.deepEqual(
		[
			drop({}),
			drop({ uncommitted: ["a", "b", "c", "d"] }),
			drop({ unmerged: 2 }),
			merge({}),
			merge({ unmerged: 0 }),
			merge({ uncommitted: ["nested/"] }),
			merge({ unsaved: { here: [], there: ["/work/y"] } }),
			merge({ state: "making" }),
			merge({ use: "running" }),
			merge({ use: "elsewhere" }),
			merge({ checkedOut: undefined }),
			merge({ into: undefined }),
		],
		[
			undefined,
			"The worktree of one has uncommitted changes, which would be lost: a, b, c (+1). Merge the worktree, or commit or discard them first.",
			"one is not completely merged (commits missing: 2). Merge the worktree, or keep the branch.",
			undefined,
			"one has nothing to merge.",
			"nested/ is a repository of its own, which can't be committed. Move it out of the worktree first.",
			"Save these files first: /work/y",
			"/wt/a/work was not completely created or removed. Drop it to clean up.",
			"A turn, a command or a goal is still active in /wt/a/work. Stop it first.",
			"A thread that works in /wt/a/work is open in another window. Close that window first.",
			"/wt/a/work no longer has one checked out. Check it out there first.",
			"/work has no branch checked out, for example because of an unfinished rebase, so nothing was merged. Check out a branch first.",
		],
	);
	assert.equal(listFiles(["a", "b"]), "a, b");
});
