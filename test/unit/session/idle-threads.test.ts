import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { rollBack } from "../../../agent-host/session/thread/rollback.ts";
import { listTurns } from "../../../agent-host/store/records/thread-state.ts";
import { aSession } from "../../support/memory-session.ts";
import { aSlowDisk, BEFORE_SEALING } from "../../support/slow-disk.ts";

const input = [{ kind: "text" as const, text: "Go on." }];

test("a turn sent while files are being restored begins afterwards, and its changes stay", async (t) => {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-idle-")));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	// Where patches are noted on the real disk.
	const home = join(folder, "home");
	mkdirSync(home);
	const path = join(folder, "a.txt");
	writeFileSync(path, "new");
	const { disk, hold } = aSlowDisk();
	const { session, published, runTurn } = await aSession(disk, { folders: [folder], home });
	const threadId = session.threads.start({ cwd: folder, settings: {} });
	const turnId = await runTurn(threadId, "Hello.");
	const thread = await session.threads.open(threadId);
	// As if the agent had changed the file in that turn.
	const [before, after] = [hash("old"), hash("new")];
	await disk.makeFolder(`${home}/threads/${threadId}.jsonl.files`);
	await disk.create(`${home}/threads/${threadId}.jsonl.files/${before}`, Buffer.from("old"));
	await thread.commit([{ kind: "touch", turnId, files: [{ path, before, after }] }], "synced");
	const backup = hold(new RegExp(`${before}$`));
	const restored = session.restore.restore({ threadId, turnId, what: "both", preview: false, overwrite: [] });
	await backup.reached;
	const started = session.startTurn({ threadId, input });
	// Long enough for a turn that does not wait.
	for (let round = 0; round < 500 && thread.running === undefined; round++) await new Promise(setImmediate);
	backup.release();
	assert.deepEqual((await restored).turns, 1);
	const next = await started;
	await thread.running?.ended;
	assert.equal(readFileSync(path, "utf8"), "old");
	assert.deepEqual(listTurns(thread.state()), [next]);
	const order = published.flatMap(({ event }) =>
		event.type === "restored" || event.type === "rolledBack" || event.type === "turnStarted" ? [event.type] : [],
	);
	assert.deepEqual(order, ["turnStarted", "restored", "rolledBack", "turnStarted"]);
	const said = thread.state().history.flatMap((item) => (item.kind === "userMessage" ? [item.text] : []));
	assert.deepEqual(said, ["Go on."]);
	await session.close();
});

test("while a turn starts, nothing is restored, rolled back or undone", async () => {
	const { disk, hold } = aSlowDisk();
	const { session, runTurn } = await aSession(disk);
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	const turnId = await runTurn(threadId, "Hello.");
	await session.compaction.compact({ threadId });
	const thread = await session.threads.open(threadId);
	await thread.running?.ended;
	const turn = hold(BEFORE_SEALING);
	const started = session.startTurn({ threadId, input });
	await turn.reached;
	const back = { threadId, preview: false, overwrite: [] };
	for (const attempt of [
		() => session.restore.restore({ ...back, turnId, what: "conversation" }),
		() => session.restore.restore({ ...back, turnId, what: "files" }),
		() => session.restore.redo(back),
		() => rollBack(thread, 1),
		() => session.compaction.undo(threadId),
	]) {
		await assert.rejects(attempt, /^HostError.*A turn is running/);
	}
	turn.release();
	const next = await started;
	await thread.running?.ended;
	assert.equal(listTurns(thread.state()).at(-1), next);
	await session.close();
});

function hash(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
