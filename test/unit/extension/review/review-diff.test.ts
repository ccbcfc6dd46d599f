import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import type { createPendingChanges } from "../../../../extension/review/pending-changes.ts";
import type { createReviewDiff } from "../../../../extension/review/review-diff.ts";
import { createMemory, loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

interface PaperTab {
	readonly label: string;
}

test("a second thread's diff takes the place of the first one's, also of a pinned one, so that Keep All means what is seen", async () => {
	const onNothing = () => ({ dispose: () => undefined });
	const group: { tabs: readonly PaperTab[]; activeTab?: PaperTab } = { tabs: [{ label: "a.ts" }] };
	const { createPendingChanges: create, createReviewDiff: createDiff } = await loadOverPaper<{
		readonly createPendingChanges: typeof createPendingChanges;
		readonly createReviewDiff: typeof createReviewDiff;
	}>(["extension/review/pending-changes.ts", "extension/review/review-diff.ts"], {
		...{ l10n: {}, EventEmitter: PaperEmitter, Range: class {}, CommentMode: {}, CommentThreadCollapsibleState: {} },
		Uri: { file: (path: string) => ({ path, with: () => ({}) }) },
		comments: { createCommentController: () => ({ createCommentThread: () => ({ comments: [] }) }) },
		workspace: { onDidChangeTextDocument: onNothing, onDidCloseTextDocument: onNothing },
		window: {
			tabGroups: {
				...{ all: [group], activeTabGroup: group, onDidChangeTabs: onNothing, onDidChangeTabGroups: onNothing },
				close: async (gone: readonly PaperTab[]) => {
					group.tabs = group.tabs.filter((tab) => !gone.includes(tab));
				},
			},
		},
		commands: {
			executeCommand: async (command: string, label: string) => {
				if (command !== "vscode.changes") return;
				group.activeTab = { label: `${label} (1 file)` };
				group.tabs = [...group.tabs, group.activeTab];
			},
		},
	});
	const events = new PaperEmitter();
	const host = {
		state: () => ({ state: "ready" }),
		onDidChangeState: onNothing,
		onThreadEvent: events.event,
		request: async (_: object, { threadId }: { readonly threadId: string }) => ({
			files: [{ path: `/app/${threadId}.ts`, operation: "update", hunks: [] }],
		}),
	};
	const panel = { threadId: () => undefined, onDidChangeThread: onNothing };
	const changes = create(host as never, panel as never, {} as never, createMemory() as never);
	const diff = createDiff(changes);
	for (const threadId of ["one", "two"]) events.fire({ threadId, event: { type: "turnDiff" } });
	await new Promise((resolve) => setImmediate(resolve));
	for (const threadId of ["one", "two"] as ThreadId[]) await diff.open(threadId);
	assert.deepEqual(group.tabs, [{ label: "a.ts" }, group.activeTab]);
	assert.equal(diff.threadId(), "two");
});
