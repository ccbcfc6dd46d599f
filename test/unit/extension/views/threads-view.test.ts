import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadRow } from "../../../../extension/views/threads/thread-groups.ts";
import type { createThreadsView } from "../../../../extension/views/threads/threads-view.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

interface Provider {
	readonly onDidChangeTreeData: (listener: () => void) => unknown;
	readonly getChildren: () => Promise<readonly ThreadRow[]>;
	readonly getTreeItem: (row: ThreadRow) => { readonly collapsibleState: string };
}

class PaperItem {
	collapsibleState: string | undefined;
	constructor(_: string, collapsibleState?: string) {
		this.collapsibleState = collapsibleState;
	}
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

test("rows that the user has opened or closed are so again after a host that ended and could not list them", async () => {
	const onNothing = () => ({ dispose: () => undefined });
	const [expanded, collapsed] = [new PaperEmitter(), new PaperEmitter()];
	let provider: Provider | undefined;
	const createTreeView = (_: string, given: { readonly treeDataProvider: Provider }) => {
		provider = given.treeDataProvider;
		return {
			...{ visible: false, selection: [], onDidChangeVisibility: onNothing },
			...{ onDidExpandElement: expanded.event, onDidCollapseElement: collapsed.event },
		};
	};
	const loaded = await loadOverPaper<{ readonly createThreadsView: typeof createThreadsView }>(
		["extension/views/threads/threads-view.ts"],
		{
			...{ l10n: {}, EventEmitter: PaperEmitter, TreeItem: PaperItem, ThemeIcon: class {} },
			TreeItemCollapsibleState: { Collapsed: "closed", Expanded: "open", None: "flat" },
			Disposable: { from: onNothing },
			window: { createTreeView, onDidChangeWindowState: onNothing },
			workspace: { workspaceFolders: [], onDidChangeWorkspaceFolders: onNothing },
			commands: { executeCommand: async () => undefined },
		},
	);
	const [top, other] = ["top", "other"].map((threadId) => ({ threadId, title: threadId, turns: 1, cwd: "/app" }));
	const agents = [top, other].map((one) => ({
		...one,
		threadId: `below ${one?.threadId}`,
		agent: { parent: one?.threadId },
	}));
	let isGone = false;
	const host = {
		...{ onThreadEvent: onNothing, onDidChangeState: onNothing, state: () => ({ state: "ready" }) },
		request: async () => (isGone ? assert.fail("The host has ended.") : { threads: [top, other, ...agents] }),
	};
	const view = loaded.createThreadsView(
		host as never,
		{ get: (key: string) => (key === "vitrine.threads" ? { order: "byFolder" } : undefined) } as never,
		() => false,
		{
			threadId: () => undefined,
			onDidChangeThread: onNothing,
		} as never,
	);
	const list = async () => {
		const [folder, ...more] = (await provider?.getChildren()) ?? [];
		assert.ok(folder !== undefined && more.length === 0);
		const rows = [folder, ...folder.rows];
		return { rows, looks: rows.map((row) => provider?.getTreeItem(row).collapsibleState) };
	};
	const before = await list();
	assert.deepEqual(before.looks, ["open", "closed", "closed"]);
	const [folder, first] = before.rows;
	collapsed.fire({ element: folder });
	expanded.fire({ element: first });
	isGone = true;
	await assert.rejects(list());
	isGone = false;
	assert.deepEqual((await list()).looks, ["closed", "open", "closed"]);
	view.dispose();
});
