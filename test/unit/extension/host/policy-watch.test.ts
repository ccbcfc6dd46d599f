import assert from "node:assert/strict";
import { test } from "node:test";
import type { createPolicyWatch } from "../../../../extension/host/policy-watch.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

test("once the host has stopped, no permissions are shown, not even those it was asked for before", async () => {
	const loaded = await loadOverPaper<{ readonly createPolicyWatch: typeof createPolicyWatch }>(
		["extension/host/policy-watch.ts"],
		{ EventEmitter: PaperEmitter },
	);
	let state = "ready";
	const answers: (() => void)[] = [];
	const states = new PaperEmitter();
	const watch = loaded.createPolicyWatch(
		{
			state: () => ({ state }),
			onThreadEvent: () => undefined,
			onDidChangeState: states.event,
			request: () => new Promise((resolve) => answers.push(() => resolve({ name: "Workspace" }))),
		} as never,
		() => undefined,
	);
	const shown: unknown[] = [];
	watch.onDidChange((policy) => shown.push(policy?.name));
	const change = (next: string): void => {
		state = next;
		states.fire({ state });
	};
	const answer = async (): Promise<void> => {
		answers.shift()?.();
		await new Promise(setImmediate);
	};
	change("ready");
	await answer();
	change("starting");
	assert.deepEqual(
		[shown, watch.current()?.name],
		[["Workspace"], "Workspace"],
		"a host that restarts goes on as before",
	);
	change("ready");
	change("stopped");
	await answer();
	assert.deepEqual([shown, watch.current()], [["Workspace", undefined], undefined]);
	change("ready");
	await answer();
	assert.deepEqual(shown, ["Workspace", undefined, "Workspace"]);
});
