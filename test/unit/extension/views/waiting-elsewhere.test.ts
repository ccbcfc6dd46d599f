import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import { createAgentTree } from "../../../../extension/host/agent-tree.ts";
import { createWaitingList } from "../../../../extension/host/waiting-list.ts";
import type { createActivityView } from "../../../../extension/views/activity/activity-view.ts";
import type { createStatus } from "../../../../extension/views/status-item.ts";
import { anApproval } from "../../../page/an-approval.ts";
import { createMemory, loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const [A, B] = [ThreadId.parse("a"), ThreadId.parse("b")];
const onNothing = () => ({ dispose: () => undefined });
const Disposable = { from: onNothing };

test("a request in a thread out of sight is announced once, with a way there; a visible one is not", async () => {
	const told: string[] = [];
	const shown: ThreadId[] = [];
	let [inView, asked]: [readonly ThreadId[], ReturnType<typeof anApproval>[]] = [[A], []];
	let badge = 0;
	const window = {
		state: { focused: true },
		createTreeView: () => ({ onDidExpandElement: onNothing, onDidCollapseElement: onNothing }),
		showWarningMessage: async (text: string, show: string) => {
			told.push(text);
			return show;
		},
	};
	const extension = await loadOverPaper<{ readonly createActivityView: typeof createActivityView }>(
		["extension/views/activity/activity-view.ts"],
		{
			...{ window, Disposable, EventEmitter: PaperEmitter },
			workspace: { getConfiguration: () => ({ inspect: () => undefined }) },
		},
	);
	const agentTree = createAgentTree();
	const activity = extension.createActivityView({
		host: { onProcessesChanged: onNothing, onDidChangeState: onNothing, onThreadEvent: onNothing } as never,
		waiting: createWaitingList(
			() => asked,
			() => [],
			agentTree,
		).all,
		panel: {
			threadsInView: () => inView,
			showThread: async (threadId: ThreadId) => void shown.push(threadId),
			showWaiting: (count: number) => {
				badge = count;
			},
			onDidChangeThread: onNothing,
		} as never,
		isSaved: () => false,
		agentTree,
		memory: createMemory(),
	});
	const ask = async (approvalId: string, threadId: ThreadId, parent?: ThreadId) => {
		const agent = parent && { parent, name: "finder", role: "explore" };
		asked = [...asked, anApproval({ approvalId, threadId, ...(agent && { agent }) })];
		activity.refresh();
		await turn();
		return [badge, told.splice(0).length, shown.splice(0)];
	};

	assert.deepEqual(await ask("1", A), [1, 0, []], "it is in view");
	assert.deepEqual(await ask("2", B), [2, 1, [B]], "another thread is");
	assert.deepEqual(
		await ask("3", ThreadId.parse("child"), A),
		[3, 0, []],
		"an agent asks in the thread that it works for",
	);
	inView = [];
	assert.deepEqual(await ask("4", A), [4, 1, [A]], "the chat is closed");
	inView = [A];
	window.state.focused = false;
	assert.deepEqual(await ask("5", A), [5, 1, [A]], "the user is in another window");
	activity.refresh();
	assert.deepEqual(told, [], "each is told once");
});

test("the status bar shows what waits whether or not the chat is open, and leads to it, until it is answered", async () => {
	const items = new Map<string, { text: string; command: string; isShown: boolean }>();
	const createStatusBarItem = (id: string) => {
		const item = { text: "", command: "", isShown: false };
		items.set(id, item);
		const [show, hide] = [true, false].map((isShown) => () => Object.assign(item, { isShown }));
		return Object.assign(item, { show, hide });
	};
	const extension = await loadOverPaper<{ readonly createStatus: typeof createStatus }>(
		["extension/views/status-item.ts"],
		{ ...{ window: { createStatusBarItem }, Disposable, StatusBarAlignment: {} }, ThemeColor: class {} },
	);
	for (const isOpen of [true, false]) {
		const status = extension.createStatus(
			{ onDidChange: onNothing } as never,
			{ warnings: () => [], onDidChangeState: onNothing, onThreadEvent: onNothing } as never,
			{ isVisible: () => isOpen, onDidShow: onNothing },
		);
		const work = items.get("vitrine.work") ?? assert.fail();
		status.showWaiting([{ kind: "approval" }]);
		const { isShown, text, command } = work;
		assert.deepEqual([isShown, text, command], [true, "$(bell-dot) 1 approval needed", "vitrine.activity.focus"]);
		status.showWaiting([]);
		assert.equal(work.isShown, false);
	}
});
