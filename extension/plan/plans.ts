import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { Plan, type ReportedStep, UPDATE_PLAN } from "../../agent-host/protocol/thread/plan.ts";
import { t } from "../../l10n/t.ts";
import type { PanelState } from "../../media/wire.ts";
import { showInformation } from "../facts/show-message.ts";
import { describeFailure } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import { readEvents } from "../panel/thread-feed.ts";
import { foldPlan, NO_PLANNING, type Planning } from "./fold-plan.ts";
import { createPlanComments, type PlanComments } from "./plan-comments.ts";
import { createPlanFiles } from "./plan-files.ts";
import type { EditedPlan } from "./plan-prompt.ts";
import { markProgress, readSteps } from "./plan-text.ts";

/** Plans as documents: opened when a turn in plan mode ends with one, edited by the user, ticked off by the model. */
export interface Plans extends vscode.Disposable {
	/** The plan of the shown thread that waits for the user. */
	readonly waiting: () => PanelState["plan"];
	/** The thread of a plan document, or the shown one if it has a plan. */
	readonly find: (uri: unknown) => Promise<ThreadId>;
	readonly open: (threadId: ThreadId) => Promise<void>;
	/** With the user's edits and comments. */
	readonly read: (threadId: ThreadId) => Promise<EditedPlan>;
	/** A plan that is carried out in another thread: progress is shown there. */
	readonly copy: (threadId: ThreadId, plan: string) => Promise<void>;
	/** Its comments were sent. */
	readonly sent: (threadId: ThreadId) => void;
	readonly remove: (threadId: ThreadId) => Promise<void>;
	readonly comments: Pick<PlanComments, "add" | "remove">;
	readonly onDidChange: vscode.Event<void>;
}

export function createPlans(options: {
	readonly host: HostClient;
	readonly panel: Pick<ChatPanel, "threadId" | "isVisible" | "onDidChangeThread">;
	readonly log: vscode.LogOutputChannel;
	readonly home: vscode.Uri;
	readonly memory: vscode.Memento;
}): Plans {
	const { host, panel, log } = options;
	const changed = new vscode.EventEmitter<void>();
	const files = createPlanFiles(options.home, options.memory);
	const comments = createPlanComments(files, options.memory);
	const planning = new Map<ThreadId, Planning>();
	/** One after the other: each mark is found in the text that the one before has left. */
	let queue: Promise<unknown> = Promise.resolve();
	const inOrder = (work: () => Promise<void>): void => {
		queue = queue
			.then(work)
			.catch((error: unknown) => log.error(`A plan could not be shown: ${describeFailure(error)}`));
	};
	const open = async (threadId: ThreadId, preserveFocus: boolean): Promise<void> => {
		const ready = planning.get(threadId)?.ready;
		if (ready !== undefined && !(await files.exists(threadId))) await files.write(threadId, ready);
		await vscode.window.showTextDocument(files.uriOf(threadId), { preserveFocus, preview: false });
	};
	const takePlan = async (threadId: ThreadId, plan: string): Promise<void> => {
		comments.clear(threadId);
		const kept = await files.write(threadId, plan);
		if (panel.threadId() === threadId && panel.isVisible()) await open(threadId, true);
		if (kept !== undefined) void tellKept(kept);
	};
	const receive = (threadId: ThreadId, event: ThreadEvent): void => {
		const before = planning.get(threadId) ?? NO_PLANNING;
		const now = foldPlan(before, event);
		if (now !== before) planning.set(threadId, now);
		if (now.ready !== before.ready) changed.fire();
		const { ready } = now;
		if (ready !== undefined && ready !== before.ready) inOrder(() => takePlan(threadId, ready));
		const steps = readReported(event);
		if (steps === undefined || now.turnId !== undefined) return;
		inOrder(async () => {
			if (await files.exists(threadId)) await files.edit(threadId, (text) => markProgress(text, steps));
		});
	};
	const load = async (threadId: ThreadId | undefined): Promise<void> => {
		changed.fire();
		// Do not start the host just to show this.
		if (threadId === undefined || planning.has(threadId) || host.state().state !== "ready") return;
		const events = await readEvents(host, threadId).catch(() => []);
		if (planning.has(threadId)) return;
		planning.set(
			threadId,
			events.reduce((state, { event }) => foldPlan(state, event), NO_PLANNING),
		);
		changed.fire();
	};
	const updateContext = (editor = vscode.window.activeTextEditor): void => {
		const isPlan = editor !== undefined && files.threadOf(editor.document.uri) !== undefined;
		void vscode.commands.executeCommand("setContext", "vitrine.planHere", isPlan);
	};
	// The window may have been reloaded with a plan in front.
	updateContext();
	const disposables = [
		changed,
		comments,
		comments.onDidChange(() => changed.fire()),
		host.onThreadEvent(({ threadId, event }) => receive(threadId, event)),
		host.onDidChangeState(({ state }) => {
			if (state === "ready") void load(panel.threadId());
		}),
		panel.onDidChangeThread((threadId) => void load(threadId)),
		vscode.window.onDidChangeActiveTextEditor(updateContext),
	];
	return {
		waiting: () => {
			const threadId = panel.threadId();
			const ready = threadId && planning.get(threadId)?.ready;
			if (threadId === undefined || ready === undefined) return undefined;
			return { steps: readSteps(ready).length, comments: comments.of(threadId).length };
		},
		async find(uri) {
			const here = uri instanceof vscode.Uri ? files.threadOf(uri) : undefined;
			const threadId = here ?? panel.threadId();
			const hasPlan = threadId && (planning.get(threadId)?.ready !== undefined || (await files.exists(threadId)));
			if (!hasPlan) throw new Error(t("No plan yet. Turn on plan mode and ask for one."));
			return threadId;
		},
		open: (threadId) => open(threadId, false),
		async read(threadId) {
			const ready = planning.get(threadId)?.ready;
			const text = ready === undefined || (await files.exists(threadId)) ? await files.read(threadId) : ready;
			return { text, comments: comments.of(threadId) };
		},
		async copy(threadId, plan) {
			await files.write(threadId, plan);
			await open(threadId, true);
		},
		sent: (threadId) => comments.clear(threadId),
		async remove(threadId) {
			comments.clear(threadId);
			planning.delete(threadId);
			await files.remove(threadId);
		},
		comments,
		onDidChange: changed.event,
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

/** The steps of a successful `update_plan`; anything else, also a malformed one, has none. */
function readReported(event: ThreadEvent): readonly ReportedStep[] | undefined {
	if (event.type !== "itemCompleted" || !isCall(event.item)) return undefined;
	const { name, status, arguments: json } = event.item;
	if (name !== UPDATE_PLAN || status !== "completed") return undefined;
	try {
		return Plan.parse(JSON.parse(json)).steps;
	} catch {
		return undefined;
	}
}

async function tellKept(kept: vscode.Uri): Promise<void> {
	const show = t("Open");
	const chosen = await showInformation(
		t("The plan was replaced. Your version of the previous one is in “{0}”.", kept.path.split("/").at(-1) ?? ""),
		show,
	);
	if (chosen === show) await vscode.window.showTextDocument(kept);
}
