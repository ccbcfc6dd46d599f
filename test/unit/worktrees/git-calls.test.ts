import assert from "node:assert/strict";
import { test } from "node:test";
import { enforcedAccess, guardedRoots, writableRoots } from "../../../agent-host/permissions/reach/reach.ts";
import {
	GIT_CALLS,
	readComplaint,
	readFiles,
	readOtherFiltered,
	readPrograms,
	readStatus,
	readTried,
	toGitArgv,
	withoutDrivers,
	withoutFilters,
} from "../../../agent-host/worktrees/git-calls.ts";
import { listDeciding, makeGitPolicy } from "../../../agent-host/worktrees/git-policy.ts";
import { aPolicy } from "../../support/a-policy.ts";

test("every call switches off hooks, file monitors and maintenance, and names branches unambiguously", () => {
	const worktree = { path: "/wt/a/work", branch: "one", commit: "c0ffee", files: ["a.txt"] };
	const all = Object.values(GIT_CALLS).map((call) => (typeof call === "function" ? call(worktree as never) : call));
	for (const words of all) {
		const argv = toGitArgv(words);
		for (const setting of ["core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0"])
			assert.ok(argv.includes(setting), argv.join(" "));
	}
	assert.deepEqual(GIT_CALLS.unmerged(worktree), ["rev-list", "--count", "HEAD..refs/heads/one", "--"]);
	assert.deepEqual(GIT_CALLS.add(worktree).slice(-3), ["--", "/wt/a/work", "c0ffee"]);
});

test("a call writes only what it was given, except what decides which programs Git runs, and has no network", () => {
	const kept = listDeciding("/work/.git").filter((path) => !path.endsWith("/modules"));
	const policy = makeGitPolicy(aPolicy({ permissions: { network: "on" } }), {
		reads: ["/work"],
		writes: ["/work/.git", "/wt/a"],
		kept,
		absent: ["/work/.git/modules"],
	});
	assert.deepEqual(writableRoots(policy), ["/work/.git", "/wt/a"]);
	assert.deepEqual(
		[
			"/work/.git/refs/heads/x",
			"/wt/a/work/f",
			"/work/f",
			"/work/.git/config",
			"/work/.git/hooks/x",
			"/work/.git/modules/x",
		].map((path) => enforcedAccess(policy, path)),
		["write", "write", "read", "read", "read", "read"],
	);
	assert.deepEqual([guardedRoots(policy), policy.network.kind, policy.commands], [[], "off", true]);
});

test("programs of the configuration are read by name, and switched off by name", () => {
	const text = "merge.a.b.driver\0filter.lfs.clean\0filter.lfs.smudge\0merge.c d.driver\0";
	assert.deepEqual(readPrograms(text), { drivers: ["a.b", "c d"], filters: ["lfs"] });
	assert.deepEqual(readPrograms(""), { drivers: [], filters: [] });
	const built = "git merge-file --quiet --marker-size=%L %A %O %B";
	assert.deepEqual(withoutDrivers(["merge"], ["a.b"]), ["-c", `merge.a.b.driver=${built}`, "merge"]);
	assert.deepEqual(
		withoutFilters(["worktree"], ["x"]).filter((word) => word !== "-c"),
		["filter.x.clean=", "filter.x.smudge=", "filter.x.process=", "filter.x.required=false", "worktree"],
	);
	const attributes = "a.txt\0filter\0x\0b\n.txt\0filter\0unspecified\0c\0filter\0y\0";
	assert.deepEqual(readOtherFiltered(attributes, "x"), ["b\n.txt", "c"]);
	assert.deepEqual(readOtherFiltered("", "x"), []);
});

test("Git's output is read as files and as one line", () => {
	const status = " M a b.txt\0?? new\n.txt\0 D gone.txt\0?? nested/\0";
	assert.deepEqual(readStatus(status, "all"), ["a b.txt", "new\n.txt", "gone.txt", "nested/"]);
	assert.deepEqual(readStatus(status, "present"), ["a b.txt", "new\n.txt", "nested/"]);
	assert.deepEqual(readTried("tree\0a.txt\0b.txt\0a.txt\0"), { tree: "tree", conflicts: ["a.txt", "b.txt"] });
	assert.deepEqual(readFiles("a b.txt\0c\n.txt\0"), ["a b.txt", "c\n.txt"]);
	assert.equal(readComplaint("Preparing worktree\nfatal: invalid reference: x\nhint: try\n"), "invalid reference: x");
	assert.equal(readComplaint(""), "");
});
