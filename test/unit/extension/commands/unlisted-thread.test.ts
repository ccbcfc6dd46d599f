import assert from "node:assert/strict";
import { test } from "node:test";
import type { renameShownThread } from "../../../../extension/commands/threads/manage-threads.ts";
import type { forkThread } from "../../../../extension/commands/threads/turn-actions.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

interface Loaded {
	readonly renameShownThread: typeof renameShownThread;
	readonly forkThread: typeof forkThread;
}

test("a thread that no list names, since it is archived or old, is renamed and forked by its own title", async () => {
	const asked: string[] = [];
	const window = {
		showInputBox: async ({ value }: { readonly value: string }) => {
			asked.push(value);
			return "Another title";
		},
	};
	const { renameShownThread: rename, forkThread: fork } = await loadOverPaper<Loaded>(
		["extension/commands/threads/manage-threads.ts", "extension/commands/threads/turn-actions.ts"],
		{ window, EventEmitter: PaperEmitter, ThemeIcon: class {}, TreeItemCollapsibleState: {}, l10n: {} },
	);
	const renamed: unknown[] = [];
	const answers: Readonly<Record<string, (params: object) => object>> = {
		"thread/list": () => ({ threads: [{ threadId: "other", title: "Old (fork)" }] }),
		"thread/read": () => ({ title: "Old", events: [], last: 9 }),
		"thread/fork": () => ({ threadId: "forked" }),
		"thread/rename": (params) => {
			renamed.push(params);
			return {};
		},
	};
	const host = {
		request: async ({ name }: { readonly name: string }, params: object) =>
			answers[name]?.(params) ?? assert.fail(`asked for ${name}`),
	};
	const panel = { threadId: () => "old", showThread: async () => undefined, focusInput: async () => undefined };
	const parts = { host, panel, threads: { refresh: () => undefined } } as never;
	await rename(parts);
	await fork(parts);
	assert.deepEqual(asked, ["Old"]);
	assert.deepEqual(renamed, [
		{ threadId: "old", title: "Another title" },
		{ threadId: "forked", title: "Old (fork 2)" },
	]);
});
