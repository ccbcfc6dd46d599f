import assert from "node:assert/strict";
import { test } from "node:test";
import { findWrongMount, listToldMounts } from "../../../agent-host/sandbox/linux/check-mounts.ts";
import { createLocator, readMountinfo } from "../../../agent-host/sandbox/linux/mountinfo.ts";

/** A machine with its home folders on a file system of their own, of which a part is mounted, and a disk in one of them. */
const OURS = `
20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
21 20 0:5 / /proc rw,nosuid shared:2 - proc proc rw
22 20 8:2 /@home /home rw,relatime shared:3 - btrfs /dev/sda2 rw,subvol=/@home
23 22 8:3 / /home/ann/my\\040disk rw,relatime shared:4 - ext4 /dev/sdb1 rw
`;

const TOLD = listToldMounts([
	...["--ro-bind", "/", "/"],
	...["--ro-bind", "/home/ann/work/deep", "/home/ann/work/deep"],
	...["--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"],
	...["--perms", "0111", "--tmpfs", "/home/ann/.ssh"],
	...["--bind", "/home/ann/work", "/home/ann/work"],
	...["--ro-bind", "/home/ann/work/deep/.git", "/home/ann/work/deep/.git"],
	...["--bind", "/home/ann/.cache/own", "/tmp"],
	...["--ro-bind-try", "/opt/none", "/opt/none"],
	...["--remount-ro", "/home/ann/.ssh"],
]);

/** What the kernel lists in the sandbox that these options make. */
const THEIRS = `
50 49 8:1 / / ro,nosuid,nodev - ext4 /dev/sda1 rw
51 50 0:5 / /proc ro,nosuid,nodev - proc proc rw
52 50 8:2 /@home /home ro,nosuid,nodev - btrfs /dev/sda2 rw,subvol=/@home
53 52 8:3 / /home/ann/my\\040disk ro,nosuid,nodev - ext4 /dev/sdb1 rw
54 52 8:2 /@home/ann/work/deep /home/ann/work/deep ro,nosuid,nodev - btrfs /dev/sda2 rw
55 50 0:60 / /dev rw,nosuid,nodev - tmpfs tmpfs rw,mode=755
56 55 0:6 /null /dev/null rw,nosuid - devtmpfs udev rw
57 51 0:61 / /proc ro,nosuid,nodev - proc proc rw
58 52 0:62 / /home/ann/.ssh ro,nosuid,nodev - tmpfs tmpfs rw,mode=0
59 52 8:2 /@home/ann/work /home/ann/work rw,nosuid,nodev - btrfs /dev/sda2 rw
60 59 8:2 /@home/ann/work/deep/.git /home/ann/work/deep/.git ro,nosuid,nodev - btrfs /dev/sda2 rw
61 50 8:2 /@home/ann/.cache/own /tmp rw,nosuid,nodev - btrfs /dev/sda2 rw
`;

const check = (theirs: string) => findWrongMount(TOLD, readMountinfo(OURS), readMountinfo(theirs));

test("mounts that match what bubblewrap was told to mount are accepted, next to the disks mounted before", () => {
	assert.equal(check(THEIRS), undefined);
});

test("a path that the kernel spells in another case is accepted where case does not count", () => {
	assert.equal(check(THEIRS.replace("/@home/ann/work/deep/.git ", "/@home/ann/work/Deep/.git ")), undefined);
});

const wrong: readonly (readonly [string, string, RegExp | string, string])[] = [
	["another folder under the same name", "/home/ann/work/deep/.git", "/@home/ann/work/deep/.git ", "/@home/ann/.ssh "],
	["a folder that was deleted", "/home/ann/work/deep/.git", "/deep/.git /", "/deep/.git//deleted /"],
	["the same path of another disk", "/tmp", "8:2 /@home/ann/.cache/own", "8:3 /@home/ann/.cache/own"],
	["a missing mount", "/home/ann/work/deep/.git", /^60 .*\n/m, ""],
	["a writable protected folder", "/home/ann/work/deep/.git", ".git ro,", ".git rw,"],
	["a closed folder that is not covered", "/home/ann/.ssh", /^58 .*\n/m, ""],
	["a closed folder covered by one of the machine's", "/home/ann/.ssh", "0:62 /", "8:3 /"],
	[
		"something open in a closed folder",
		"/home/ann/.ssh/.git",
		/$/,
		"70 58 8:2 /@home/ann/.ssh/.git /home/ann/.ssh/.git ro - btrfs x rw",
	],
	["a closed folder in an open one", "/usr/share", /$/, "70 50 8:2 /@home/ann/.ssh /usr/share ro - btrfs x rw"],
	[
		"a writable folder that another covers",
		"/home/ann/work/deep",
		/$/,
		"70 59 8:2 /@home/ann/.ssh /home/ann/work rw - btrfs x rw",
	],
];

for (const [what, at, from, to] of wrong) {
	test(`a wrong mount is found: ${what}`, () => {
		assert.equal(check(THEIRS.replace(from, to)), at);
	});
}

test("an empty list of mounts is rejected", () => assert.equal(check(""), "/"));

test("a path leads to the mount that is visible there, whatever is below it", () => {
	const locate = createLocator(readMountinfo(THEIRS));
	const seen = ["/proc/1", "/home/ann/work/deep/x", "/home/ann/my disk/x"].map((path) => {
		const { mount, place } = locate(path) ?? assert.fail();
		return [mount.id, place];
	});
	assert.deepEqual(seen, [
		["57", "/1"],
		["59", "/@home/ann/work/deep/x"],
		["53", "/x"],
	]);
});
