import assert from "node:assert/strict";
import { test } from "node:test";
import { openHome } from "../../../agent-host/store/home/home.ts";
import { openWorktreeFiles, type StoredWorktree } from "../../../agent-host/store/home/worktree-files.ts";
import { createMemoryDisk, type MemoryDisk } from "../../support/memory-disk.ts";

const ONE: StoredWorktree = {
	...{ path: "/home-worktrees/one/work", folder: "/work", repository: "/work/.git", branch: "one", from: "main" },
	...{ commit: "c0ffee", madeAt: 1, state: "ready" },
};
const TWO: StoredWorktree = { ...ONE, path: "/home-worktrees/two/work", branch: "two", madeAt: 2 };

async function openOn(disk: MemoryDisk, isHeld = false) {
	const lock = async () => (isHeld ? { owner: "7" } : { release: () => undefined });
	return openWorktreeFiles(await openHome(disk, lock, "/home"));
}

test("worktrees are listed by the next host, the newest first, each as it was last written", async () => {
	const disk = createMemoryDisk();
	const files = await openOn(disk);
	await files.write({ ...ONE, state: "making" });
	await files.write(TWO);
	await files.write(ONE);
	assert.deepEqual(await (await openOn(disk)).list(), [TWO, ONE]);
});

test("a file with one flipped bit, or under another name, is not a worktree", async () => {
	const disk = createMemoryDisk();
	const files = await openOn(disk);
	await files.write(ONE);
	const [name] = await disk.list("/home/worktrees");
	const path = `/home/worktrees/${name}`;
	const sealed = await disk.read(path);
	for (let index = 0; index < sealed.length; index += 1) {
		const damaged = Buffer.from(sealed);
		damaged[index] = (damaged[index] ?? 0) ^ 1;
		await disk.remove(path);
		await disk.create(path, damaged);
		assert.deepEqual(await files.list(), [], `byte ${index}`);
	}
	await disk.remove(path);
	await disk.create(`/home/worktrees/${"0".repeat(64)}.json`, sealed);
	assert.deepEqual(await files.list(), []);
});

test("a worktree that another window is working on is not touched", async () => {
	const files = await openOn(createMemoryDisk(), true);
	assert.equal(await files.hold(ONE.path, async () => assert.fail("it was done all the same")), undefined);
	assert.deepEqual(await (await openOn(createMemoryDisk())).hold(ONE.path, async () => 3), { done: 3 });
});
