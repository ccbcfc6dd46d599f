import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
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
	const names = [".ssh", ".aws", ".netrc", ".kube"];
	assert.deepEqual(
		names.map((name) => looked.get(join(home, name))),
		names.map(() => 1),
	);
});

test("a plain turn asks no other thread about the disk, which takes longer than the answer", async (t) => {
	const world = await openInProcess(t, { script: [says("One."), says("Two.")] });
	await runTurn(world);
	const asked: string[] = [];
	for (const name of ["access", "lstat", "open", "opendir", "readFile", "readdir", "realpath", "stat"] as const) {
		const ask = fs.promises[name] as (...args: readonly unknown[]) => unknown;
		t.mock.method(fs.promises, name, (...args: readonly unknown[]) => {
			asked.push(`${name} ${args[0]}`);
			return ask(...args);
		});
	}
	syncBuiltinESMExports();
	t.after(() => {
		t.mock.restoreAll();
		syncBuiltinESMExports();
	});
	await runTurn(world);
	assert.deepEqual(asked, []);
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
