import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isInside } from "../../agent-host/permissions/reach/reach.ts";
import { says } from "../support/fake-model-steps.ts";
import { type InProcess, openInProcess } from "./rig/in-process.ts";

test("a turn looks up each place of its policy in the user's home once", async (t) => {
	const home = fs.mkdtempSync(join(tmpdir(), "vitrine-home-"));
	const { HOME } = process.env;
	t.after(() => {
		process.env.HOME = HOME;
		fs.rmSync(home, { recursive: true });
	});
	process.env.HOME = home;
	assert.equal(homedir(), home);
	const world = await openInProcess(t, { script: [says("One."), says("Two.")] });
	await runTurn(world);
	const looked = countLooks(t);
	await runTurn(world);
	const below = [...looked].filter(([path]) => path !== home && isInside(path, home));
	assert.equal(looked.get(join(home, ".ssh")), 1);
	assert.deepEqual(
		below.filter(([, times]) => times > 1),
		[],
	);
});

async function runTurn({ session, threadId }: InProcess): Promise<void> {
	await session.startTurn({ threadId, input: [{ kind: "text", text: "Go." }] });
	await (await session.threads.open(threadId)).running?.ended;
}

/** How often each path is looked at from now on. */
function countLooks(t: TestContext): ReadonlyMap<string, number> {
	const looked = new Map<string, number>();
	const look = fs.lstatSync;
	t.mock.method(fs, "lstatSync", (...args: Parameters<typeof look>) => {
		const path = String(args[0]);
		looked.set(path, (looked.get(path) ?? 0) + 1);
		return look(...args);
	});
	syncBuiltinESMExports();
	t.after(() => {
		t.mock.restoreAll();
		syncBuiltinESMExports();
	});
	return looked;
}
