import assert from "node:assert/strict";
import { test } from "node:test";
import type { forkThread } from "../../../../extension/commands/threads/turn-actions.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("two presses on Fork make one fork; after a failure the next one tries again", async () => {
	const { forkThread: fork } = await loadOverPaper<{ readonly forkThread: typeof forkThread }>(
		["extension/commands/threads/turn-actions.ts"],
		{ l10n: {} },
	);
	const asked: string[] = [];
	let isFull = true;
	const host = {
		request: async ({ name }: { readonly name: string }) => {
			asked.push(name);
			if (name === "thread/fork" && isFull) throw new Error("The disk is full.");
			return { title: "One", threads: [], threadId: "fork" };
		},
	};
	const shown: unknown[] = [];
	const panel = {
		threadId: () => "a",
		showThread: async (threadId: unknown) => void shown.push(threadId),
		focusInput: async () => undefined,
	};
	const press = () => fork({ host, panel, threads: { refresh: () => undefined } } as never);
	await assert.rejects(press(), /The disk is full/);
	isFull = false;
	await Promise.all([press(), press()]);
	assert.deepEqual(asked, [
		...["thread/read", "thread/list", "thread/fork"],
		...["thread/read", "thread/list", "thread/fork", "thread/rename"],
	]);
	assert.deepEqual(shown, ["fork"]);
});
