import { join } from "node:path";
import * as vscode from "vscode";
import { didChangeConfiguration, didChangeTrust } from "../agent-host/protocol/host/host.ts";
import { setLanguage } from "../l10n/t.ts";
import { registerFixAction } from "./attach/fix-action.ts";
import { registerCommands } from "./commands/catalog.ts";
import { offerImport } from "./commands/import/find-foreign-settings.ts";
import { findCommand, REVIEW_COMMAND_IDS, returnsToChat } from "./commands/panel-commands.ts";
import type { Parts } from "./commands/parts.ts";
import { TURN_ACTIONS } from "./commands/threads/turn-actions.ts";
import { watchClicks } from "./facts/clicks.ts";
import { readFolders } from "./facts/folders.ts";
import { createKeys } from "./facts/keys.ts";
import { readNetworkEnvironment, watchNetwork } from "./facts/network.ts";
import { createServerCredentials } from "./facts/server-credentials.ts";
import { createServerInputs } from "./facts/server-inputs.ts";
import {
	isSaved,
	readSettings,
	watchSettings,
	writeHost,
	writeReading,
	writeRules,
	writeServerTool,
} from "./facts/settings.ts";
import { createAgentTree } from "./host/agent-tree.ts";
import { createApprovals } from "./host/approvals.ts";
import { createHostClient } from "./host/host-client.ts";
import { openAddress } from "./host/open-address.ts";
import { createPendingSignIns } from "./host/pending-sign-ins.ts";
import { createPolicyWatch } from "./host/policy-watch.ts";
import { createQuestions } from "./host/questions.ts";
import { readHostOptions, readInspectPort, reportProblems } from "./host/read-host-options.ts";
import { createRunningTurns } from "./host/running-turns.ts";
import { serveSignIn } from "./host/serve-sign-in.ts";
import { createTrace } from "./host/trace.ts";
import { createWaitingList } from "./host/waiting-list.ts";
import { serveLanguage } from "./language/serve-language.ts";
import { createApi } from "./outside/create-api.ts";
import { handleLinks } from "./outside/handle-links.ts";
import { lendTools } from "./outside/lend-tools.ts";
import { registerParticipant } from "./outside/participant.ts";
import type { VitrineApi } from "./outside/vitrine-api.ts";
import { createChatMaker } from "./panel/chat-maker.ts";
import type { ChatParts } from "./panel/chat-panel.ts";
import { createChats } from "./panel/chats.ts";
import { describeChanges } from "./panel/describe-changes.ts";
import { readLatestThread } from "./panel/latest-thread.ts";
import { readPanelState } from "./panel/panel-state.ts";
import { createPlans } from "./plan/plans.ts";
import { createBaseDocuments } from "./review/base-documents.ts";
import { createReviewFindings } from "./review/findings.ts";
import { createHunkMarks } from "./review/hunk-marks.ts";
import { createPendingChanges } from "./review/pending-changes.ts";
import { createReviewDiff } from "./review/review-diff.ts";
import { createChangesControl } from "./review/source-control.ts";
import { createActivityView } from "./views/activity/activity-view.ts";
import { createNotifications } from "./views/activity/notifications.ts";
import { createCompactionPreview } from "./views/context/compaction-preview.ts";
import { createContextInspector } from "./views/context/context-inspector.ts";
import { createDocuments } from "./views/reports/report-documents.ts";
import { enterInput } from "./views/servers/enter-input.ts";
import { createServersView } from "./views/servers/servers-view.ts";
import { createStatus } from "./views/status-item.ts";
import { createThreadsView } from "./views/threads/threads-view.ts";

/** Builds the parts. Starts no process and reads no file: the host starts with the first view or request. */
export function activate(context: vscode.ExtensionContext): VitrineApi {
	setLanguage(vscode.env.language, vscode.l10n.bundle);
	const log = vscode.window.createOutputChannel("Vitrine", { log: true });
	const trace = createTrace();
	const keys = createKeys(context.secrets, context.globalState);
	const serverInputs = createServerInputs(context.secrets, context.globalState, enterInput);
	const signIns = createPendingSignIns();
	const approvals = createApprovals({
		changed: () => showPending(),
		saveRules: writeRules,
		saveReading: writeReading,
		saveServerTool: writeServerTool,
		saveHost: writeHost,
	});
	const questions = createQuestions(
		() => showPending(),
		(url) => void openAddress(url),
	);
	const agentTree = createAgentTree();
	const waiting = createWaitingList(approvals.pending, questions.pending, agentTree);
	const language = serveLanguage();
	const host = createHostClient({
		extensionPath: context.extensionPath,
		codeCache: join(context.globalStorageUri.fsPath, "code-cache"),
		log,
		inspectPort: readInspectPort(context),
		hostOptions: () => readHostOptions(context, log),
		environment: readNetworkEnvironment,
		secret: (origin) => keys.get({ kind: "key", origin }),
		serverInput: serverInputs.give,
		signIn: serveSignIn(context.extension.id, createServerCredentials(context.secrets, keys), signIns),
		ask: approvals.ask,
		question: questions.ask,
		language: language.handlers,
		trace: trace.write,
	});
	const documents = createDocuments(host, (threadId) => panel.readTyped(threadId));
	const chatParts: ChatParts = {
		host,
		log,
		panelState: async (threadId) => {
			const isActive = threadId === panel.threadId();
			const changed = isActive ? describeChanges(changes.files()) : undefined;
			return {
				...(await readPanelState(host, keys, await policy.readFor(threadId), changed)),
				...(await readLatestThread(host, threadId, readFolders().first)),
				dismissed: findings.dismissed(),
				plan: isActive ? plans.waiting() : undefined,
			};
		},
		runCommand: async (button, threadId) => {
			const clicks = watchClicks();
			try {
				const outcome = await vscode.commands.executeCommand(...findCommand(button, threadId));
				if (returnsToChat(button, outcome) && !clicks.hasClicked()) await panel.focusInput();
			} finally {
				clicks.dispose();
			}
		},
		reviewFile: (threadId, path, act) =>
			void vscode.commands.executeCommand(REVIEW_COMMAND_IDS[act], { threadId, path }),
		dismissFinding: (finding) => findings.dismiss(finding),
		answerApproval: approvals.answer,
		answerQuestion: questions.answer,
		reviewRef: (of, ref) =>
			void vscode.commands.executeCommand(of === "branch" ? "vitrine.reviewBranch" : "vitrine.reviewCommit", ref),
		setGoal: (text) => void vscode.commands.executeCommand("vitrine.setGoal", text),
		remember: (text) => void vscode.commands.executeCommand("vitrine.remember", text),
		agentsWaiting: waiting.below,
		openDiff: (shown, approvalId) => {
			// A sub-agent's patch belongs to its own thread.
			const asking = approvals.pending().find((request) => request.approvalId === approvalId);
			return documents.open({ kind: "diff", threadId: asking?.threadId ?? shown, approvalId });
		},
		actOnTurn: async (action, threadId, turnId) => {
			await TURN_ACTIONS[action](parts, threadId, turnId);
			if (action === "restore") await panel.focusInput();
		},
	};
	const panel = createChats(createChatMaker(context, chatParts));
	const policy = createPolicyWatch(host, panel.threadId);
	const threads = createThreadsView(host, context.globalState, waiting.isWaiting, panel);
	const inspector = createContextInspector({
		...{ context, host, log, panel, compare: documents.showRequestDiff },
		showRaw: (threadId, sent) => documents.open({ kind: "raw", threadId, side: sent ?? "next" }),
	});
	const preview = createCompactionPreview(host);
	const changes = createPendingChanges(host, panel, log, context.workspaceState);
	const findings = createReviewFindings(host, panel, context.workspaceState);
	const plans = createPlans({ host, panel, log, home: context.globalStorageUri, memory: context.workspaceState });
	const reviewDiff = createReviewDiff(changes, context.workspaceState);
	const turns = createRunningTurns(host, panel);
	const parts: Parts = {
		...{
			host,
			panel,
			threads,
			keys,
			log,
			documents,
			inspector,
			policy,
			preview,
			changes,
			findings,
			plans,
			reviewDiff,
			turns,
			trace,
		},
		home: context.globalStorageUri,
		serverInputs,
		memory: context.globalState,
	};
	const activity = createActivityView({
		...{ host, waiting: waiting.all, panel, isSaved, agentTree, memory: context.workspaceState },
	});
	const servers = createServersView(host);
	const showPending = (): void => {
		activity.refresh();
		threads.refresh();
		panel.showAgentsWaiting();
		status.showWaiting(waiting.all());
	};
	const status = createStatus(policy, host, panel);
	const sendSettings = (): void => {
		const { settings, problems } = readSettings();
		reportProblems(problems, log);
		host.notify(didChangeConfiguration, { settings });
		activity.refresh();
		servers.refresh();
		policy.refresh();
		panel.refresh();
	};
	const api = createApi(host, panel);
	revealOnce(context.globalState, panel.isVisible);
	context.subscriptions.push(
		log,
		host,
		language,
		documents,
		panel,
		policy,
		threads,
		inspector,
		preview,
		changes,
		findings,
		findings.onDidChange(() => panel.refresh()),
		plans,
		plans.onDidChange(() => panel.refresh()),
		reviewDiff,
		turns,
		trace,
		createHunkMarks(changes),
		createBaseDocuments(host, changes),
		createChangesControl(host, changes),
		changes.onDidChange(() => panel.refresh()),
		activity,
		servers,
		createNotifications(host, panel, agentTree),
		status,
		registerCommands(parts),
		// Activation touches no file.
		host.onDidChangeState(({ state }) => void (state === "ready" && offerImport())),
		registerFixAction(),
		registerParticipant(host, api),
		lendTools(host),
		handleLinks(panel, signIns),
		{ dispose: signIns.dropAll },
		watchSettings(sendSettings),
		watchNetwork(() => host.state().state === "ready", host.restart),
		keys.onDidChange(() => panel.refresh()),
		panel.onDidChangeThread(() => policy.refresh()),
		host.onThreadEvent(({ threadId, event }) => {
			if (agentTree.note(threadId, event)) showPending();
		}),
		policy.onDidChange(() => {
			documents.refreshPolicy();
			panel.refresh();
		}),
		host.onDidChangeState(({ state }) => {
			if (state !== "ready") {
				approvals.dropAll();
				questions.dropAll();
				signIns.dropAll();
			}
			void vscode.commands.executeCommand("setContext", "vitrine.hostStopped", state === "stopped");
		}),
		vscode.workspace.onDidChangeWorkspaceFolders(sendSettings),
		vscode.workspace.onDidGrantWorkspaceTrust(() => {
			// Settings are sent before trust, so that a stricter workspace is never ignored.
			sendSettings();
			host.notify(didChangeTrust, { trusted: true });
			policy.refresh();
		}),
	);
	return api;
}

const REVEALED_KEY = "vitrine.revealed";

/** After the installation the view is an unselected tab of a side bar that may be closed: it is shown once. */
function revealOnce(memory: vscode.Memento, isVisible: () => boolean): void {
	if (memory.get(REVEALED_KEY) === true) return;
	void memory.update(REVEALED_KEY, true);
	if (!isVisible()) void vscode.commands.executeCommand("vitrine.chat.focus", { preserveFocus: true });
}
