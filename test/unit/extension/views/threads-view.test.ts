import assert from "node:assert/strict";
import { test } from "node:test";
import type { createThreadsView } from "../../../../extension/views/threads/threads-view.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

interface Provider {
	readonly onDidChangeTreeData: (listener: () => void) => unknown;
}

test("returning from another window refreshes the threads, and a closed view reads none", async () => {
	const onNothing = () => ({ dispose: () => undefined });
	const [windows, shows] = [new PaperEmitter(), new PaperEmitter()];
	let drawn = 0;
	const view = {
		...{ visible: true, selection: [], description: "" },
		...{ onDidChangeVisibility: shows.event, onDidExpandElement: onNothing, onDidCollapseElement: onNothing },
	};
	const createTreeView = (_: string, { treeDataProvider }: { readonly treeDataProvider: Provider }) => {
		treeDataProvider.onDidChangeTreeData(() => {
			drawn += 1;
		});
		return view;
	};
	const loaded = await loadOverPaper<{ readonly createThreadsView: typeof createThreadsView }>(
		["extension/views/threads/threads-view.ts"],
		{
			...{ EventEmitter: PaperEmitter, window: { createTreeView, onDidChangeWindowState: windows.event } },
			workspace: { onDidChangeWorkspaceFolders: onNothing },
			commands: { executeCommand: async () => undefined },
		},
	);
	loaded.createThreadsView(
		{ onThreadEvent: onNothing, onDidChangeState: onNothing } as never,
		{ get: () => undefined } as never,
		() => false,
		{ threadId: () => undefined, onDidChangeThread: onNothing } as never,
	);
	const countAfter = (state: { readonly focused: boolean }, visible: boolean): number => {
		[drawn, view.visible] = [0, visible];
		windows.fire(state);
		return drawn;
	};
	assert.equal(countAfter({ focused: false }, true), 0);
	assert.equal(countAfter({ focused: true }, true), 1);
	assert.equal(countAfter({ focused: true }, false), 0);
	view.visible = true;
	shows.fire({ visible: true });
	assert.equal(drawn, 1, "it is opened");
});
