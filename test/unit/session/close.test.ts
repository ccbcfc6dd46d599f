import assert from "node:assert/strict";
import { test } from "node:test";
import type { Disk } from "../../../agent-host/store/home/disk.ts";
import { createMemoryDisk } from "../../support/memory-disk.ts";
import { aSession } from "../../support/memory-session.ts";

test("a session that is closed has no file of its home open", async () => {
	const open = new Set<string>();
	const disk = createMemoryDisk();
	const counting: Disk = {
		...disk,
		async openAppend(path) {
			const file = await disk.openAppend(path);
			open.add(path);
			return { ...file, close: () => file.close().finally(() => open.delete(path)) };
		},
	};
	const { session, runTurn } = await aSession(counting);
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	await runTurn(threadId, "Hello.");
	assert.deepEqual([...open].map((path) => path.split("/")[2]).sort(), ["spending", "threads"]);
	await session.close();
	assert.deepEqual([...open], []);
});
