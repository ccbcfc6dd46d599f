import assert from "node:assert/strict";
import { test } from "node:test";
import { listWorkFolders } from "../../../agent-host/session/thread/thread-contract.ts";

function aWorktree(path: string, folder: string, state: "making" | "ready" | "dropping" | "dropped") {
	const repository = `${folder}/.git`;
	return { path, folder, repository, branch: "one", from: "main", commit: "0", madeAt: 0, state };
}

test("only worktrees that are ready, of a repository that is open here, are folders that a restore may write to", () => {
	const list = [
		aWorktree("/trees/ready", "/work", "ready"),
		aWorktree("/trees/below", "/work/part", "ready"),
		aWorktree("/trees/elsewhere", "/other", "ready"),
		aWorktree("/trees/beside", "/workshop", "ready"),
		...(["making", "dropping", "dropped"] as const).map((state) => aWorktree(`/trees/${state}`, "/work", state)),
	];
	assert.deepEqual(listWorkFolders({ folders: ["/work"], worktrees: { list } }), [
		"/work",
		"/trees/ready",
		"/trees/below",
	]);
	assert.deepEqual(listWorkFolders({ folders: [], worktrees: { list } }), []);
});
