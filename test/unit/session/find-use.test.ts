import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../agent-host/protocol/ids.ts";
import type { LiveThread } from "../../../agent-host/session/thread/live-thread.ts";
import { createFindUse } from "../../../agent-host/session/worktrees/find-use.ts";
import { openHome, threadPath } from "../../../agent-host/store/home/home.ts";
import { createMemoryDisk } from "../../support/memory-disk.ts";
import { aSession } from "../../support/memory-session.ts";

const TREE = "/trees/one/work";

/** The parts of an open thread that decide whether a worktree is in use. */
function aThread(change: object): LiveThread {
	const threadId = ThreadId.parse("mine");
	const state = () => ({ threadId, cwd: TREE });
	return { state, running: undefined, isStarting: false, reserved: undefined, ...change } as unknown as LiveThread;
}

async function findUse(change: object, owners: readonly string[] = []) {
	const home = await openHome(createMemoryDisk(), async () => ({ release: () => undefined }), "/home");
	const threads = { all: () => [aThread(change)] };
	return createFindUse({ home, threads, owners: () => owners })(TREE);
}

test("a worktree is in use here while a turn runs, starts or is due in it, files are restored, or a command runs", async () => {
	const elsewhere = { state: () => ({ threadId: ThreadId.parse("mine"), cwd: "/work" }) };
	const running = { envelope: { workspace: { cwd: `${TREE}/part` } } };
	const pursuing = (state: string) => ({
		state: () => ({ threadId: ThreadId.parse("mine"), cwd: TREE, goal: { state } }),
	});
	assert.deepEqual(
		await Promise.all([
			findUse({}),
			findUse({ running }),
			findUse({ isStarting: true }),
			findUse({ reserved: Promise.resolve() }),
			findUse(pursuing("active")),
			findUse(pursuing("paused")),
			findUse({}, ["mine"]),
			findUse({}, ["another"]),
			findUse({ ...elsewhere, isStarting: true }, ["mine"]),
			findUse({ ...elsewhere, running }),
		]),
		[undefined, "running", "running", "running", "running", undefined, "running", undefined, undefined, "running"],
	);
});

test("a worktree is used elsewhere while another process has a thread that works there", async () => {
	const disk = createMemoryDisk();
	const { session, runTurn } = await aSession(disk, { folders: [] });
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	await runTurn(threadId, "Hello.");
	await (await session.threads.open(threadId)).commit([{ kind: "settings", settings: {}, cwd: TREE }], "synced");
	await session.close();
	const held = new Set<string>();
	const lock = async (path: string) => (held.has(path) ? { owner: "7" } : { release: () => undefined });
	const home = await openHome(disk, lock, "/home");
	const find = createFindUse({ home, threads: { all: () => [] }, owners: () => [] });
	assert.equal(await find(TREE), undefined);
	held.add(threadPath(home, threadId));
	assert.deepEqual([await find(TREE), await find("/trees/two/work")], ["elsewhere", undefined]);
});
