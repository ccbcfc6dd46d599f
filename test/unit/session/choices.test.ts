import assert from "node:assert/strict";
import { test } from "node:test";
import type { Disk } from "../../../agent-host/store/home/disk.ts";
import { createMemoryDisk } from "../../support/memory-disk.ts";
import { aSession } from "../../support/memory-session.ts";

const READ_ONLY = { settings: { permissions: { mode: "readOnly" as const } } };

/** A disk on which the next look at the worktrees, which every turn takes before it is sealed, waits. */
function aSlowDisk() {
	const disk = createMemoryDisk();
	let next: { readonly reached: () => void; readonly go: Promise<void> } | undefined;
	const slow: Disk = {
		...disk,
		async list(path) {
			const held = path.endsWith("worktrees") ? next : undefined;
			if (held !== undefined) {
				next = undefined;
				held.reached();
				await held.go;
			}
			return disk.list(path);
		},
	};
	const hold = () => {
		const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		next = { reached: reached.resolve, go: go.promise };
		return { reached: reached.promise, release: go.resolve };
	};
	return { slow, hold };
}

for (const when of ["first", "later"] as const) {
	test(`what the user chooses while a ${when} turn of a thread starts stays chosen, also after a restart`, async () => {
		const { slow, hold } = aSlowDisk();
		const { session, runTurn } = await aSession(slow);
		const threadId = session.threads.start({ cwd: undefined, settings: {} });
		if (when === "later") await runTurn(threadId, "Hello.");
		const turn = hold();
		const started = session.startTurn({ threadId, input: [{ kind: "text", text: "Go on." }] });
		await turn.reached;
		await session.changeSettings(threadId, READ_ONLY);
		turn.release();
		await started;
		await (await session.threads.open(threadId)).running?.ended;
		const { settings } = await session.changeSettings(threadId, { settings: {} });
		assert.deepEqual(settings.permissions, { mode: "readOnly" });
		await session.close();
		const { session: next } = await aSession(slow);
		const kept = await next.changeSettings(threadId, { settings: {} });
		assert.deepEqual(kept.settings.permissions, { mode: "readOnly" });
		await next.close();
	});
}

test("of two choices at the same time none is lost", async () => {
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
