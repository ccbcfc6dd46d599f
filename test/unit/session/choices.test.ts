import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryDisk } from "../../support/memory-disk.ts";
import { aSession } from "../../support/memory-session.ts";
import { aSlowDisk, BEFORE_SEALING } from "../../support/slow-disk.ts";

const READ_ONLY = { settings: { permissions: { mode: "readOnly" as const } } };

for (const when of ["first", "later"] as const) {
	test(`a choice made while a ${when} turn of a thread starts is kept, even after a restart`, async () => {
		const { disk, hold } = aSlowDisk();
		const { session, runTurn } = await aSession(disk);
		const threadId = session.threads.start({ cwd: undefined, settings: {} });
		if (when === "later") await runTurn(threadId, "Hello.");
		const turn = hold(BEFORE_SEALING);
		const started = session.startTurn({ threadId, input: [{ kind: "text", text: "Go on." }] });
		await turn.reached;
		await session.changeSettings(threadId, READ_ONLY);
		turn.release();
		await started;
		await (await session.threads.open(threadId)).running?.ended;
		const { settings } = await session.changeSettings(threadId, { settings: {} });
		assert.deepEqual(settings.permissions, { mode: "readOnly" });
		await session.close();
		const { session: next } = await aSession(disk);
		const kept = await next.changeSettings(threadId, { settings: {} });
		assert.deepEqual(kept.settings.permissions, { mode: "readOnly" });
		await next.close();
	});
}

test("two simultaneous choices are both kept", async () => {
	const { session, runTurn } = await aSession(createMemoryDisk());
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	await runTurn(threadId, "Hello.");
	await Promise.all([
		session.changeSettings(threadId, READ_ONLY),
		session.changeSettings(threadId, { settings: { approval: "never" } }),
	]);
	const { settings } = await session.changeSettings(threadId, { settings: {} });
	assert.deepEqual([settings.permissions?.mode, settings.approval], ["readOnly", "never"]);
	await session.close();
});
