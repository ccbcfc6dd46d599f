import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import { createAgentTree } from "../../../../extension/host/agent-tree.ts";
import type { ActivityRow, createActivityView } from "../../../../extension/views/activity/activity-view.ts";
import { anApproval } from "../../../page/an-approval.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

interface Provider {
	readonly getChildren: () => Promise<readonly ActivityRow[]>;
}

for (const refused of ["permission/ledger", "process/list", "thread/list"]) {
	test(`what waits for the user is listed even if the host refuses ${refused}, as for a thread deleted in another window`, async () => {
		const onNothing = () => ({ dispose: () => undefined });
		let provider: Provider | undefined;
		const createTreeView = (_: string, { treeDataProvider }: { readonly treeDataProvider: Provider }) => {
			provider = treeDataProvider;
			return {};
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
