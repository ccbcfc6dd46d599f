import assert from "node:assert/strict";
import { test } from "node:test";
import { groupFolders } from "../../../agent-host/sandbox/linux/cgroups/cgroup-folders.ts";

const PIDS = "36 25 0:32 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids";
const UNIFIED = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";

test("if process counting has its own hierarchy, a command's group lies below the host's", () => {
	assert.deepEqual(groupFolders("9:name=systemd:/\n8:pids:/a/b\n0::/", PIDS), [{ path: "/sys/fs/cgroup/pids/a/b" }]);
	const joined = PIDS.replace("rw,pids", "rw,cpu,pids");
	assert.deepEqual(groupFolders("8:cpu,pids:/", joined), [{ path: "/sys/fs/cgroup/pids" }]);
});

test("in a container only the visible part of the hierarchy is used", () => {
	const shown = PIDS.replace("0:32 / ", "0:32 /docker/ab ");
	assert.deepEqual(groupFolders("8:pids:/docker/ab/x", shown), [{ path: "/sys/fs/cgroup/pids/x" }]);
	assert.deepEqual(groupFolders("8:pids:/docker/abc", shown), []);
});

test("with a unified hierarchy, a group beside the host's own is listed with the group it would leave", () => {
	const own = "/sys/fs/cgroup/user.slice/session-1.scope";
	assert.deepEqual(groupFolders("0::/user.slice/session-1.scope\n", `${UNIFIED}\n`), [
		{ path: own },
		{ path: "/sys/fs/cgroup/user.slice", leaves: own },
	]);
	assert.deepEqual(groupFolders("0::/", UNIFIED), [{ path: "/sys/fs/cgroup" }]);
});

test("without a readable mount, counter or line there is no folder", () => {
	for (const [groups, mounts] of [
		["8:pids:/", ""],
		["7:freezer:/", PIDS],
		["", PIDS],
		["8:pids", PIDS],
		["garbage\0\n::", UNIFIED],
	] as const)
		assert.deepEqual(groupFolders(groups, mounts), []);
});
