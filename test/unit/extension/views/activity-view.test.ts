import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import { createAgentTree } from "../../../../extension/host/agent-tree.ts";
import type { ActivityRow, createActivityView } from "../../../../extension/views/activity/activity-view.ts";
import { anApproval } from "../../../page/an-approval.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

interface Provider {
	readonly getChildren: () => Promise<readonly ActivityRow[]>;
	readonly getTreeItem: (row: ActivityRow) => object;
}

for (const refused of ["permission/ledger", "process/list", "thread/list"]) {
	test(`what waits for the user is listed even if the host refuses ${refused}, as for a thread deleted in another window`, async () => {
		const onNothing = () => ({ dispose: () => undefined });
		let provider: Provider | undefined;
		const createTreeView = (_: string, { treeDataProvider }: { readonly treeDataProvider: Provider }) => {
			provider = treeDataProvider;
			return { onDidExpandElement: onNothing, onDidCollapseElement: onNothing };
		};
		const extension = await loadOverPaper<{ readonly createActivityView: typeof createActivityView }>(
			["extension/views/activity/activity-view.ts"],
			{ window: { createTreeView }, EventEmitter: PaperEmitter },
		);
		const process = { threadId: "a", processId: "p1", command: "make", startedAt: 0, sandbox: "bubblewrap" };
		const answers: Readonly<Record<string, object>> = {
			"permission/ledger": { entries: [], cut: false },
			"process/list": { processes: [process] },
			"thread/list": { threads: [{ threadId: "a", title: "A thread" }] },
		};
		const threadId = ThreadId.parse("a");
		extension.createActivityView({
			host: {
				...{ onProcessesChanged: onNothing, onDidChangeState: onNothing, onThreadEvent: onNothing },
				state: () => ({ state: "ready" }),
				request: async ({ name }: { readonly name: string }) => {
					if (name === refused) throw new Error("There is no such thread.");
					return answers[name] ?? assert.fail(name);
				},
			} as never,
			waiting: () => [{ kind: "approval", id: "1", threadId, request: anApproval({ threadId }) } as never],
			panel: { threadId: () => threadId, onDidChangeThread: onNothing } as never,
			isSaved: () => false,
			agentTree: createAgentTree(),
		});
		const rows = (await provider?.getChildren()) ?? assert.fail();
		const expected = refused === "process/list" ? ["Waiting for you"] : ["Waiting for you", "Running"];
		assert.deepEqual(
			rows.map((row) => (row.kind === "group" ? row.label : row.kind)),
			expected,
		);
	});
}

test("a group of the Activity view that the user has opened is open again once it is back", async () => {
	const onNothing = () => ({ dispose: () => undefined });
	const [expanded, collapsed] = [new PaperEmitter(), new PaperEmitter()];
	let provider: Provider | undefined;
	class PaperItem {
		readonly state: string;
		constructor(_: string, state: string) {
			this.state = state;
		}
	}
	const extension = await loadOverPaper<{ readonly createActivityView: typeof createActivityView }>(
		["extension/views/activity/activity-view.ts"],
		{
			...{ l10n: {}, EventEmitter: PaperEmitter, TreeItem: PaperItem },
			TreeItemCollapsibleState: { Collapsed: "closed", Expanded: "open" },
			window: {
				createTreeView: (_: string, { treeDataProvider }: { readonly treeDataProvider: Provider }) => {
					provider = treeDataProvider;
					return { onDidExpandElement: expanded.event, onDidCollapseElement: collapsed.event };
				},
			},
		},
	);
	let state = "ready";
	extension.createActivityView({
		host: {
			...{ onProcessesChanged: onNothing, onDidChangeState: onNothing, onThreadEvent: onNothing },
			state: () => ({ state }),
			request: async ({ name }: { readonly name: string }) =>
				name === "permission/ledger" ? { entries: [{}], cut: false } : { processes: [], threads: [] },
		},
		waiting: () => [],
		panel: { threadId: () => ThreadId.parse("a"), onDidChangeThread: onNothing },
		isSaved: () => false,
	} as never);
	const list = async () => {
		assert.ok(provider !== undefined);
		const { getChildren, getTreeItem } = provider;
		return (await getChildren()).map((row) => [row, (getTreeItem(row) as PaperItem).state] as const);
	};
	const [before] = await list();
	assert.ok(before !== undefined);
	assert.equal(before[1], "closed");
	expanded.fire({ element: before[0] });
	state = "starting";
	assert.deepEqual(await list(), []);
	state = "ready";
	const [again] = await list();
	assert.equal(again?.[1], "open");
	collapsed.fire({ element: before[0] });
	assert.equal((await list())[0]?.[1], "closed");
});
