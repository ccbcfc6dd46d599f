import * as vscode from "vscode";
import type { ApprovalRequest } from "../../../agent-host/protocol/approval/approval.ts";
import { type LedgerEntry, permissionLedger } from "../../../agent-host/protocol/approval/ledger.ts";
import type { QuestionRequest } from "../../../agent-host/protocol/approval/question.ts";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { type BackgroundProcess, processList } from "../../../agent-host/protocol/thread/process.ts";
import { sayNamed } from "../../../l10n/host-words.ts";
import { describeQuestion, QUESTION_TITLES } from "../../../l10n/question-words.ts";
import { clockTimeOf, type Message, t } from "../../../l10n/t.ts";
import type { AgentTree } from "../../host/agent-tree.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { ChatPanel } from "../../panel/chat-panel.ts";
import { APPROVAL_TITLES, asLabel, describeDecision, describeSubject, explainDecision } from "./activity-words.ts";
import { chimeIfAway, wantsNotification } from "./notifications.ts";
import { isInSight } from "./should-notify.ts";

export const ACTIVITY_VIEW = "vitrine.activity";
const SHOWN_DECISIONS = 200;

/** A row: a heading, an approval or question, a background command, or a decision of the open thread. */
export type ActivityRow =
	| { readonly kind: "group"; readonly label: Message; readonly rows: readonly ActivityRow[] }
	| { readonly kind: "approval"; readonly request: ApprovalRequest }
	| { readonly kind: "question"; readonly request: QuestionRequest }
	| { readonly kind: "process"; readonly process: BackgroundProcess }
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
	readonly pending: () => readonly ApprovalRequest[];
	/** Pending questions of the host. */
	readonly questions: () => readonly QuestionRequest[];
	readonly panel: Pick<
		ChatPanel,
		"isVisible" | "showThread" | "showWaiting" | "chime" | "threadId" | "onDidChangeThread"
	>;
	/** Whether a rule is in the user settings. */
	readonly isSaved: IsSaved;
	readonly agentTree: AgentTree;
}): ActivityView {
	const { host, pending, questions, panel, isSaved, agentTree } = options;
	const changed = new vscode.EventEmitter<undefined>();
	const refresh = (): void => changed.fire(undefined);
	let known: ReadonlySet<string> = new Set();
	const provider: vscode.TreeDataProvider<ActivityRow> = {
		onDidChangeTreeData: changed.event,
		getChildren: (row) => (row === undefined ? readRows(options) : row.kind === "group" ? [...row.rows] : []),
		getTreeItem: (row) => asTreeItem(row, isSaved),
	};
	const view = vscode.window.createTreeView(ACTIVITY_VIEW, { treeDataProvider: provider });
	const notify = async (words: Message, threadId: ThreadId): Promise<void> => {
		// Notifications render links, so no text of the model may appear in them.
		const show = t("Show");
		const answer = await vscode.window.showWarningMessage(t(words), show);
		if (answer === show) await panel.showThread(threadId);
	};
	const disposables = [
		view,
		changed,
		host.onProcessesChanged(refresh),
		host.onDidChangeState(refresh),
		panel.onDidChangeThread(refresh),
		host.onThreadEvent(({ threadId, event }) => {
			if (threadId === panel.threadId() && REFRESH_ON.has(event.type)) refresh();
		}),
	];
	return {
		refresh: () => {
			const waiting = [
				...pending().map((request) => ({
					id: request.approvalId,
					words: APPROVAL_TITLES[request.subject.kind],
					request,
				})),
				...questions().map((request) => ({
					id: request.questionId,
					words: nameSubject(request),
					request,
				})),
			];
			const shown = panel.threadId();
			for (const { id, words, request } of waiting) {
				// Cards of sub-agents are in the thread that they work for, too.
				const isShown = agentTree.isBelow(request, shown);
				const sight = isInSight(request.threadId, {
					shown: isShown ? request.threadId : shown,
					isVisible: panel.isVisible(),
				});
				if (!known.has(id) && wantsNotification("waiting", sight)) void notify(words, request.threadId);
			}
			if (waiting.some(({ id }) => !known.has(id))) chimeIfAway(panel, "waiting");
			known = new Set(waiting.map(({ id }) => id));
			panel.showWaiting(waiting.length);
			refresh();
		},
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}

function nameSubject({ subject }: QuestionRequest): Message {
	return QUESTION_TITLES["server" in subject && subject.kind === "form" ? "server" : subject.kind];
}

/** Empty groups have no heading; if everything is empty, the view's welcome text is shown. */
async function readRows({
	host,
	pending,
	questions,
	panel,
}: Pick<Parameters<typeof createActivityView>[0], "host" | "pending" | "questions" | "panel">): Promise<ActivityRow[]> {
	const waiting = [
		...pending().map((request): ActivityRow => ({ kind: "approval", request })),
		...questions().map((request): ActivityRow => ({ kind: "question", request })),
	];
	const threadId = panel.threadId();
	// Do not start the host just to show that nothing is running.
	const isReady = host.state().state === "ready";
	const { processes } = isReady ? await host.request(processList, {}) : { processes: [] };
	const { entries } =
		isReady && threadId !== undefined
			? await host.request(permissionLedger, { threadId, limit: SHOWN_DECISIONS })
			: { entries: [] };
	const groups: readonly ActivityRow[] = [
		{ kind: "group", label: "Waiting for you", rows: waiting },
		{ kind: "group", label: "Running", rows: processes.map((process) => ({ kind: "process", process })) },
		{
			kind: "group",
			label: "Decisions in this thread",
			rows: threadId === undefined ? [] : entries.map((entry) => ({ kind: "decision", threadId, entry })),
		},
	];
	return groups.filter((group) => group.kind === "group" && group.rows.length > 0);
}

function asTreeItem(row: ActivityRow, isSaved: IsSaved): vscode.TreeItem {
	switch (row.kind) {
		case "group": {
			const isLong = row.rows[0]?.kind === "decision";
			const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
			const item = new vscode.TreeItem(t(row.label), isLong ? Collapsed : Expanded);
			item.id = row.label;
			item.description = String(row.rows.length);
			return item;
		}
		case "approval":
			return approvalItem(row.request);
		case "question":
			return questionItem(row.request);
		case "process":
			return processItem(row);
		case "decision":
			return decisionItem(row.entry, isSaved);
	}
}

function approvalItem(request: ApprovalRequest): vscode.TreeItem {
	const item = new vscode.TreeItem(describeSubject(request.subject));
	item.id = request.approvalId;
	const reason = sayNamed(request.reason, request.reasonSaid);
	item.description = nameAgent(request.agent) ?? reason;
	item.tooltip = [describeSubject(request.subject), nameAgent(request.agent), reason].filter(Boolean).join("\n");
	item.iconPath = new vscode.ThemeIcon("question");
	item.command = { command: "vitrine.openThread", title: t("Show"), arguments: [{ threadId: request.threadId }] };
	return item;
}

/** Which sub-agent asks. */
function nameAgent(agent: ApprovalRequest["agent"]): string | undefined {
	return agent && t("Agent {0} ({1}) asks", agent.name, asLabel(agent.role));
}

function questionItem({ questionId, subject, threadId, agent }: QuestionRequest): vscode.TreeItem {
	const item = new vscode.TreeItem(asLabel(describeQuestion(subject)));
	item.id = questionId;
	item.description = nameAgent(agent) ?? "";
	item.tooltip = asLabel(describeQuestion(subject));
	item.iconPath = new vscode.ThemeIcon("question");
	item.command = { command: "vitrine.openThread", title: t("Show"), arguments: [{ threadId }] };
	return item;
}

function processItem(row: Extract<ActivityRow, { readonly kind: "process" }>): vscode.TreeItem {
	const { threadId, processId, command, startedAt, sandbox, sandboxSaid } = row.process;
	const item = new vscode.TreeItem(asLabel(command));
	item.id = `${threadId} ${processId}`;
	item.description = processId;
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
