import * as vscode from "vscode";
import type { ApprovalRequest } from "../../../agent-host/protocol/approval/approval.ts";
import { type LedgerEntry, permissionLedger } from "../../../agent-host/protocol/approval/ledger.ts";
import type { QuestionRequest } from "../../../agent-host/protocol/approval/question.ts";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { type BackgroundProcess, processList } from "../../../agent-host/protocol/thread/process.ts";
import { threadList } from "../../../agent-host/protocol/thread/thread.ts";
import { sayNamed } from "../../../l10n/host-words.ts";
import { describeQuestion, QUESTION_TITLES } from "../../../l10n/question-words.ts";
import { clockTimeOf, type Message, t } from "../../../l10n/t.ts";
import { showWarning } from "../../facts/show-message.ts";
import type { AgentTree } from "../../host/agent-tree.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { WaitingList, WaitingRequest } from "../../host/waiting-list.ts";
import type { Chats } from "../../panel/chats.ts";
import { APPROVAL_TITLES, asLabel, describeDecision, describeSubject, explainDecision } from "./activity-words.ts";
import { createGroupFolds, type GroupFolds } from "./group-folds.ts";
import { nameThread } from "./name-thread.ts";
import { chimeIfAway, wantsNotification } from "./notifications.ts";

export const ACTIVITY_VIEW = "vitrine.activity";
const SHOWN_DECISIONS = 200;
/** Newest threads among which the title of one is looked up. */
const MAX_NAMED = 1_000;

/** A row: a heading, an approval or question, a background command, or a decision of the open thread. */
export type ActivityRow =
	| {
			readonly kind: "group";
			/** The editor shows a group as it was as long as it keeps its id. */
			readonly id: string;
			readonly label: Message;
			readonly isOpen: boolean;
			readonly rows: readonly ActivityRow[];
	  }
	/** `thread`: the title of the thread that it belongs to, if it is known. */
	| { readonly kind: "waiting"; readonly waiting: WaitingRequest; readonly thread: string | undefined }
	| { readonly kind: "process"; readonly process: BackgroundProcess; readonly thread?: string | undefined }
	| { readonly kind: "decision"; readonly threadId: ThreadId; readonly entry: LedgerEntry };

/**
 * The Activity view: what needs the user, what runs, what was decided. Also the badge on the chat's icon, and
 * notifications.
 */
export interface ActivityView extends vscode.Disposable {
	readonly refresh: () => void;
}

const REFRESH_ON: ReadonlySet<string> = new Set(["approvalResolved", "grantRevoked", "turnCompleted"]);

/** Whether the rule or host that a decision added is still in the settings. */
type IsSaved = (entry: Pick<LedgerEntry, "decision" | "rules" | "host" | "serverTool">) => boolean;

export function createActivityView(options: {
	readonly host: HostClient;
	readonly waiting: WaitingList["all"];
	readonly panel: Pick<
		Chats,
		"threadsInView" | "showThread" | "showWaiting" | "chime" | "threadId" | "onDidChangeThread"
	>;
	/** Whether a rule is in the user settings. */
	readonly isSaved: IsSaved;
	readonly agentTree: AgentTree;
	readonly memory: Pick<vscode.Memento, "get" | "update">;
}): ActivityView {
	const { host, panel, isSaved, agentTree } = options;
	const changed = new vscode.EventEmitter<undefined>();
	const refresh = (): void => changed.fire(undefined);
	let known: ReadonlySet<string> = new Set();
	/** How many requests have come: a new one is shown also if the user has closed the group. */
	let arrivals = 0;
	const folds = createGroupFolds(options.memory);
	const provider: vscode.TreeDataProvider<ActivityRow> = {
		onDidChangeTreeData: changed.event,
		getChildren: (row) =>
			row === undefined ? readRows(options, folds, arrivals) : row.kind === "group" ? [...row.rows] : [],
		getTreeItem: (row) => asTreeItem(row, isSaved),
	};
	const view = vscode.window.createTreeView(ACTIVITY_VIEW, { treeDataProvider: provider });
	const noteFold = (row: ActivityRow, isOpen: boolean): void => {
		// What waits is never kept closed.
		if (row.kind === "group" && row.rows[0]?.kind !== "waiting") folds.note(row.id, isOpen);
	};
	const notify = async (words: Message, threadId: ThreadId): Promise<void> => {
		// Notifications render links, so no text of the model may appear in them.
		const show = t("Show");
		const answer = await showWarning(t(words), show);
		if (answer === show) await panel.showThread(threadId);
	};
	const disposables = [
		view,
		changed,
		view.onDidExpandElement(({ element }) => noteFold(element, true)),
		view.onDidCollapseElement(({ element }) => noteFold(element, false)),
		host.onProcessesChanged(refresh),
		host.onDidChangeState(refresh),
		panel.onDidChangeThread(refresh),
		host.onThreadEvent(({ threadId, event }) => {
			if (threadId === panel.threadId() && REFRESH_ON.has(event.type)) refresh();
		}),
	];
	return {
		refresh: () => {
			const waiting = options.waiting();
			const shown = panel.threadsInView();
			for (const one of waiting) {
				// Cards of sub-agents are in the thread that they work for, too.
				const isInView = shown.some((threadId) => one.threadId === threadId || agentTree.isBelow(one, threadId));
				if (!known.has(one.id) && wantsNotification("waiting", isInView)) void notify(nameWaiting(one), one.threadId);
			}
			if (waiting.some(({ id }) => !known.has(id))) chimeIfAway(panel, "waiting");
			arrivals += waiting.filter(({ id }) => !known.has(id)).length;
			known = new Set(waiting.map(({ id }) => id));
			panel.showWaiting(waiting.length);
			refresh();
		},
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

function nameWaiting(one: WaitingRequest): Message {
	if (one.kind === "approval") return APPROVAL_TITLES[one.request.subject.kind];
	const { subject } = one.request;
	return QUESTION_TITLES["server" in subject && subject.kind === "form" ? "server" : subject.kind];
}

const NO_PROCESSES = { processes: [] };
const NO_DECISIONS = { entries: [] };
const NO_TITLES = { threads: [] };

/** Empty groups have no heading; if everything is empty, the view's welcome text is shown. */
async function readRows(
	{ host, waiting, panel }: Pick<Parameters<typeof createActivityView>[0], "host" | "waiting" | "panel">,
	folds: GroupFolds,
	arrivals: number,
): Promise<ActivityRow[]> {
	const threadId = panel.threadId();
	// Do not start the host just to show that nothing is running.
	const isReady = host.state().state === "ready";
	// Nothing that the host refuses, such as decisions of a thread that another window has deleted, hides what waits.
	const { processes } = isReady ? await host.request(processList, {}).catch(() => NO_PROCESSES) : NO_PROCESSES;
	const { entries } =
		isReady && threadId !== undefined
			? await host.request(permissionLedger, { threadId, limit: SHOWN_DECISIONS }).catch(() => NO_DECISIONS)
			: NO_DECISIONS;
	const listed = waiting();
	// Only for their titles.
	const { threads } =
		isReady && listed.length + processes.length > 0
			? await host.request(threadList, { limit: MAX_NAMED }).catch(() => NO_TITLES)
			: NO_TITLES;
	const nameOwner = ({ threadId: of }: { readonly threadId: ThreadId }) => nameThread(threads, of);
	const groups: readonly ActivityRow[] = [
		{
			kind: "group",
			id: `waiting ${arrivals}`,
			label: "Waiting for you",
			isOpen: true,
			rows: listed.map((one) => ({ kind: "waiting", waiting: one, thread: nameOwner(one) })),
		},
		{
			kind: "group",
			id: "running",
			label: "Running",
			isOpen: folds.isOpen("running") ?? true,
			rows: processes.map((process) => ({ kind: "process", process, thread: nameOwner(process) })),
		},
		{
			kind: "group",
			id: `decisions ${threadId}`,
			label: "Decisions in this thread",
			isOpen: folds.isOpen(`decisions ${threadId}`) ?? false,
			rows: threadId === undefined ? [] : entries.map((entry) => ({ kind: "decision", threadId, entry })),
		},
	];
	return groups.filter((group) => group.kind === "group" && group.rows.length > 0);
}

function asTreeItem(row: ActivityRow, isSaved: IsSaved): vscode.TreeItem {
	switch (row.kind) {
		case "group": {
			const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
			const item = new vscode.TreeItem(t(row.label), row.isOpen ? Expanded : Collapsed);
			item.id = row.id;
			item.description = String(row.rows.length);
			return item;
		}
		case "waiting":
			return row.waiting.kind === "approval"
				? approvalItem(row.waiting.request, row.thread)
				: questionItem(row.waiting.request, row.thread);
		case "process":
			return processItem(row);
		case "decision":
			return decisionItem(row.entry, isSaved);
	}
}

function approvalItem(request: ApprovalRequest, thread: string | undefined): vscode.TreeItem {
	const item = new vscode.TreeItem(describeSubject(request.subject));
	item.id = request.approvalId;
	const reason = sayNamed(request.reason, request.reasonSaid);
	item.description = describeOrigin(thread, request.agent) || reason;
	item.tooltip = [describeSubject(request.subject), describeOrigin(thread, request.agent), reason]
		.filter(Boolean)
		.join("\n");
	item.iconPath = new vscode.ThemeIcon("question");
	item.command = { command: "vitrine.openThread", title: t("Show"), arguments: [{ threadId: request.threadId }] };
	return item;
}

/** Which sub-agent asks. */
function nameAgent(agent: ApprovalRequest["agent"]): string | undefined {
	return agent && t("Agent {0} ({1}) asks", agent.name, asLabel(agent.role));
}

/** The sub-agent, then the thread that it works for: a narrow list shows only the beginning. */
function describeOrigin(thread: string | undefined, agent: ApprovalRequest["agent"]): string {
	return [nameAgent(agent) ?? "", thread === undefined ? "" : asLabel(thread)]
		.filter((part) => part !== "")
		.join(" · ");
}

function questionItem(
	{ questionId, subject, threadId, agent }: QuestionRequest,
	thread: string | undefined,
): vscode.TreeItem {
	const item = new vscode.TreeItem(asLabel(describeQuestion(subject)));
	item.id = questionId;
	item.description = describeOrigin(thread, agent);
	item.tooltip = [asLabel(describeQuestion(subject)), describeOrigin(thread, agent)].filter(Boolean).join("\n");
	item.iconPath = new vscode.ThemeIcon("question");
	item.command = { command: "vitrine.openThread", title: t("Show"), arguments: [{ threadId }] };
	return item;
}

function processItem(row: Extract<ActivityRow, { readonly kind: "process" }>): vscode.TreeItem {
	const { threadId, processId, command, startedAt, sandbox, sandboxSaid } = row.process;
	const item = new vscode.TreeItem(asLabel(command));
	item.id = `${threadId} ${processId}`;
	item.description = [...(row.thread === undefined ? [] : [asLabel(row.thread)]), processId].join(" · ");
	const by = sayNamed(sandbox, sandboxSaid);
	item.tooltip = [asLabel(command), by, t("since {0}", clockTimeOf(startedAt))].join("\n");
	item.iconPath = new vscode.ThemeIcon("loading~spin");
	item.contextValue = "process";
	item.command = { command: "vitrine.showProcess", title: t("Show Output"), arguments: [row] };
	return item;
}

function decisionItem(entry: LedgerEntry, isSaved: IsSaved): vscode.TreeItem {
	const isRefused = entry.decision === "deny" || entry.decision === "abort";
	const item = new vscode.TreeItem(asLabel(sayNamed(entry.what, entry.whatSaid)));
	item.id = `decision ${entry.turnId} ${entry.seq}`;
	item.description = describeDecision(entry);
	item.tooltip = explainDecision(entry).join("\n");
	item.iconPath = new vscode.ThemeIcon(isRefused ? "circle-slash" : "check");
	item.contextValue = entry.grant === "inForce" || isSaved(entry) ? "decision revocable" : "decision";
	return item;
}
