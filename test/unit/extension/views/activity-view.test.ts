import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import { createAgentTree } from "../../../../extension/host/agent-tree.ts";
import type { ActivityRow, createActivityView } from "../../../../extension/views/activity/activity-view.ts";
import { anApproval } from "../../../page/an-approval.ts";
import { createMemory, loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

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
			memory: createMemory(),
		});
		const rows = (await provider?.getChildren()) ?? assert.fail();
		const expected = refused === "process/list" ? ["Waiting for you"] : ["Waiting for you", "Running"];
		assert.deepEqual(
			rows.map((row) => (row.kind === "group" ? row.label : row.kind)),
			expected,
		);
	});
}

test("a group is as the user left it once it is back, each thread's decisions apart, and what waits is always shown", async () => {
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
			workspace: { getConfiguration: () => ({ inspect: () => undefined }) },
			window: {
				state: { focused: true },
				createTreeView: (_: string, { treeDataProvider }: { readonly treeDataProvider: Provider }) => {
					provider = treeDataProvider;
					return { onDidExpandElement: expanded.event, onDidCollapseElement: collapsed.event };
				},
			},
		},
	);
	let [state, threadId] = ["ready", ThreadId.parse("a")];
	let asked: readonly string[] = [];
	const memory = createMemory();
	const open = () =>
		extension.createActivityView({
			host: {
				...{ onProcessesChanged: onNothing, onDidChangeState: onNothing, onThreadEvent: onNothing },
				state: () => ({ state }),
				request: async ({ name }: { readonly name: string }) =>
					name === "permission/ledger" ? { entries: [{}] } : { processes: [{}], threads: [] },
			} as never,
			waiting: () =>
				asked.map((id) => ({ kind: "approval", id, threadId, request: anApproval({ threadId }) }) as never),
			panel: {
				...{ threadId: () => threadId, threadsInView: () => [threadId], onDidChangeThread: onNothing },
				...{ showWaiting: () => undefined, chime: () => undefined },
			} as never,
			isSaved: () => false,
			agentTree: createAgentTree(),
			memory,
		});
	const list = async () => {
		const { getChildren, getTreeItem } = provider ?? assert.fail();
		return (await getChildren()).map((element) => ({
			element,
			item: getTreeItem(element) as PaperItem & { id: string },
		}));
	};
	const states = async () => (await list()).map(({ item }) => item.state);
	const find = async (index: number) => (await list())[index]?.element;
	let activity = open();
	assert.deepEqual(await states(), ["open", "closed"], "what runs, and decisions");
	collapsed.fire({ element: await find(0) });
	expanded.fire({ element: await find(1) });
	assert.deepEqual(await states(), ["closed", "open"]);
	state = "starting";
	assert.deepEqual(await states(), []);
	state = "ready";
	assert.deepEqual(await states(), ["closed", "open"]);
	threadId = ThreadId.parse("b");
	assert.deepEqual(await states(), ["closed", "closed"], "nothing was opened in that thread");
	threadId = ThreadId.parse("a");
	activity = open();
	assert.deepEqual(await states(), ["closed", "open"], "also after the window was loaded again");

	const ask = async (...ids: readonly string[]) => {
		asked = ids;
		activity.refresh();
		const [waiting] = await list();
		return [waiting?.item.id, waiting?.item.state];
	};
	const [first, shown] = await ask("1");
	assert.equal(shown, "open");
	collapsed.fire({ element: await find(0) });
	assert.deepEqual(await ask("1"), [first, "open"], "the editor keeps it closed while its id is the same");
	const [second] = await ask("1", "2");
	assert.notEqual(second, first, "a new request opens it again");
	assert.deepEqual(await ask("2"), [second, "open"], "an answer does not");
});
