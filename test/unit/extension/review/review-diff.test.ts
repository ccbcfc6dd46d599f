import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import type { createPendingChanges } from "../../../../extension/review/pending-changes.ts";
import type { createReviewDiff } from "../../../../extension/review/review-diff.ts";
import { createMemory, loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

interface PaperTab {
	readonly label: string;
}

interface Group {
	tabs: readonly PaperTab[];
	activeTab?: PaperTab;
}

/** The diffs in a window in which the threads `one` and `two` have pending changes; all tabs are pinned. */
async function openWindow(group: Group, memory = createMemory()) {
	const onNothing = () => ({ dispose: () => undefined });
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
				close: async (gone: PaperTab | readonly PaperTab[]) => {
					group.tabs = group.tabs.filter((tab) => ![gone].flat().includes(tab));
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
	const changed = new Set(["one", "two"]);
	const host = {
		state: () => ({ state: "ready" }),
		onDidChangeState: onNothing,
		onThreadEvent: onNothing,
		request: async (_: object, { threadId }: { readonly threadId: string }) => ({
			files: changed.has(threadId) ? [{ path: `/app/${threadId}.ts`, operation: "update", hunks: [] }] : [],
		}),
	};
	const panel = { threadId: () => undefined, onDidChangeThread: onNothing };
	const remembered = createMemory();
	await remembered.update("vitrine.changedThreads", [...changed]);
	const changes = create(host as never, panel as never, {} as never, remembered as never);
	const diff = createDiff(changes, memory as never);
	await changes.refresh();
	return { diff, changes, changed };
}

const ONE = "one" as ThreadId;
const TWO = "two" as ThreadId;

test("a second thread's diff takes the place of the first one's, also of a pinned one, so that Keep All means what is seen", async () => {
	const group: Group = { tabs: [{ label: "a.ts" }] };
	const { diff } = await openWindow(group);
	for (const threadId of [ONE, TWO]) await diff.open(threadId);
	assert.deepEqual(group.tabs, [{ label: "a.ts" }, group.activeTab]);
	assert.equal(diff.threadId(), TWO);
});

test("after the window was reloaded, a diff is still about its thread, and is closed once that has no changes", async () => {
	const group: Group = { tabs: [] };
	const memory = createMemory();
	await (await openWindow(group, memory)).diff.open(TWO);
	const { diff, changes, changed } = await openWindow(group, memory);
	assert.deepEqual([diff.threadId(), group.tabs.length], [TWO, 1]);
	changed.delete(TWO);
	await changes.refresh();
	assert.deepEqual(group.tabs, []);
});
