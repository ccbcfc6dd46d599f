import { join } from "node:path";
import * as vscode from "vscode";
import { didChangeConfiguration, didChangeTrust } from "../agent-host/protocol/host/host.ts";
import type { HostOptions } from "../agent-host/protocol/host/host-options.ts";
import type { ReviewedFile } from "../agent-host/protocol/thread/review.ts";
import { setLanguage, t } from "../l10n/t.ts";
import type { PanelCommand, PanelState, ReviewAct } from "../media/wire.ts";
import { registerFixAction } from "./attach/fix-action.ts";
import { registerCommands } from "./commands/catalog.ts";
import type { Parts } from "./commands/parts.ts";
import { TO_NEXT } from "./commands/settings/raise-limit.ts";
import { TURN_ACTIONS } from "./commands/threads/turn-actions.ts";
import { readFolders } from "./facts/folders.ts";
import { createKeys } from "./facts/keys.ts";
import { readNetworkEnvironment, watchNetwork } from "./facts/network.ts";
import { findEditorRipgrep } from "./facts/ripgrep.ts";
import { isSaved, readSettings, watchSettings, writeHost, writeReading, writeRule } from "./facts/settings.ts";
import { createApprovals } from "./host/approvals.ts";
import { createHostClient } from "./host/host-client.ts";
import { createPolicyWatch } from "./host/policy-watch.ts";
import { createQuestions } from "./host/questions.ts";
import { createRunningTurns } from "./host/running-turns.ts";
import { createTrace } from "./host/trace.ts";
import { createChatPanel } from "./panel/chat-panel.ts";
import { readLatestThread } from "./panel/latest-thread.ts";
import { readPanelState } from "./panel/panel-state.ts";
import { createBaseDocuments } from "./review/base-documents.ts";
import { createHunkMarks } from "./review/hunk-marks.ts";
import { createPendingChanges } from "./review/pending-changes.ts";
import { createReviewDiff } from "./review/review-diff.ts";
import { createChangesControl } from "./review/source-control.ts";
import { createActivityView } from "./views/activity/activity-view.ts";
import { createNotifications } from "./views/activity/notifications.ts";
import { createCompactionPreview } from "./views/context/compaction-preview.ts";
import { createContextInspector } from "./views/context/context-inspector.ts";
import { createDocuments } from "./views/reports/report-documents.ts";
import { createStatus } from "./views/status-item.ts";
import { createThreadsView } from "./views/threads/threads-view.ts";

/** Commands of the panel's buttons, by the names that the page uses. */
const PANEL_COMMAND_IDS: Readonly<Record<PanelCommand, readonly [string, ...unknown[]]>> = {
	setUpModel: ["vitrine.setUpModel"],
	manageTrust: ["vitrine.manageTrust"],
	openFolder: ["workbench.action.files.openFolder"],
	showLog: ["vitrine.showLog"],
	restartHost: ["vitrine.restartHost"],
	checkSandbox: ["vitrine.checkSandbox"],
	newThread: ["vitrine.newThread"],
	renameThread: ["vitrine.renameShownThread"],
	changeFolder: ["vitrine.changeFolder"],
	changeModel: ["vitrine.changeModel"],
	changePermissions: ["vitrine.changePermissions"],
	openSettings: ["vitrine.openSettings"],
	showContext: ["vitrine.showContext"],
	compact: ["vitrine.compact"],
	showPolicy: ["vitrine.showPolicy"],
	changeEffort: ["vitrine.changeReasoningEffort"],
	forkThread: ["vitrine.forkThread"],
	exportThread: ["vitrine.exportThread"],
	raiseLimit: ["vitrine.raiseLimit"],
	raiseToNextLimit: ["vitrine.raiseLimit", TO_NEXT],
	reviewChanges: ["vitrine.reviewChanges"],
	keepAllChanges: ["vitrine.keepAllChanges"],
	rejectAllChanges: ["vitrine.rejectAllChanges"],
	showStatus: ["vitrine.showStatus"],
	doctor: ["vitrine.doctor"],
	runProbe: ["vitrine.runPolicyProbe"],
	reviewUncommitted: ["vitrine.reviewUncommitted"],
	undoRestore: ["vitrine.redoRestore"],
	restoreCheckpoint: ["vitrine.restoreCheckpoint"],
	togglePlan: ["vitrine.togglePlan"],
	useSettings: ["vitrine.useSettings"],
	keepSettings: ["vitrine.keepSettings"],
	openThreadFolder: ["vitrine.openThreadFolder"],
};

const REVIEW_COMMAND_IDS: Readonly<Record<ReviewAct, string>> = {
	open: "vitrine.openFileChanges",
	keep: "vitrine.keepFileChanges",
	reject: "vitrine.rejectFileChanges",
};

/** Builds the parts. Starts no process and reads no file: the host starts with the first view or request. */
export function activate(context: vscode.ExtensionContext): void {
	setLanguage(vscode.env.language, vscode.l10n.bundle);
	const log = vscode.window.createOutputChannel("Vitrine", { log: true });
	const trace = createTrace();
	const keys = createKeys(context.secrets, context.globalState);
	const approvals = createApprovals({
		changed: () => showPending(),
		saveRule: writeRule,
		saveReading: writeReading,
		saveHost: writeHost,
	});
	const questions = createQuestions(() => showPending());
	const host = createHostClient({
		extensionPath: context.extensionPath,
		compileCache: join(context.globalStorageUri.fsPath, "compile-cache"),
		log,
		inspectPort: readInspectPort(context),
		hostOptions: () => readHostOptions(context, log),
		environment: readNetworkEnvironment,
		secret: (provider, origin) => keys.get({ kind: provider === "chatgpt" ? "token" : "key", origin }),
		ask: approvals.ask,
		question: questions.ask,
		trace: trace.write,
	});
	const documents = createDocuments(host);
	const panel = createChatPanel({
		context,
		host,
		log,
		panelState: async () => ({
			...(await readPanelState(host, keys, policy.current(), describeChanges(changes.files()))),
			...(await readLatestThread(host, panel.threadId(), readFolders().first)),
		}),
		runCommand: (command) => void vscode.commands.executeCommand(...PANEL_COMMAND_IDS[command]),
		reviewFile: (threadId, path, act) =>
			void vscode.commands.executeCommand(REVIEW_COMMAND_IDS[act], { threadId, path }),
		answerApproval: approvals.answer,
		answerQuestion: questions.answer,
		openDiff: (threadId, approvalId) => documents.open({ kind: "diff", threadId, approvalId }),
		actOnTurn: (action, threadId, turnId) => TURN_ACTIONS[action](parts, threadId, turnId),
	});
	const policy = createPolicyWatch(host, panel.threadId);
	const isWaiting = (threadId: string): boolean =>
		[...approvals.pending(), ...questions.pending()].some((request) => request.threadId === threadId);
	const threads = createThreadsView(host, context.globalState, isWaiting, panel);
	const inspector = createContextInspector({
		...{ context, host, log, panel, compare: documents.showRequestDiff },
		showRaw: (threadId, sent) => documents.open({ kind: "raw", threadId, side: sent ?? "next" }),
	});
	const preview = createCompactionPreview(host);
	const changes = createPendingChanges(host, panel, log, context.workspaceState);
	const reviewDiff = createReviewDiff(changes);
	const turns = createRunningTurns(host, panel);
	const parts: Parts = {
		...{ host, panel, threads, keys, log, documents, inspector, policy, preview, changes, reviewDiff, turns, trace },
		memory: context.globalState,
	};
	const activity = createActivityView({
		...{ host, pending: approvals.pending, questions: questions.pending, panel, isSaved },
	});
	const showPending = (): void => {
		activity.refresh();
		threads.refresh();
		status.showWaiting([...approvals.pending(), ...questions.pending()].length);
	};
	const status = createStatus(policy, host, panel);
	const sendSettings = (): void => {
		const { settings, problems } = readSettings();
		reportProblems(problems, log);
		host.notify(didChangeConfiguration, { settings });
		activity.refresh();
		policy.refresh();
		panel.refresh();
	};
	revealOnce(context.globalState, panel.isVisible);
	context.subscriptions.push(
		log,
		host,
		documents,
		panel,
		policy,
		threads,
		inspector,
		preview,
		changes,
		reviewDiff,
		turns,
		trace,
		createHunkMarks(changes),
		createBaseDocuments(host, changes),
		createChangesControl(host, changes),
		changes.onDidChange(() => panel.refresh()),
		activity,
		createNotifications(host, panel),
		status,
		registerCommands(parts),
		registerFixAction(),
		watchSettings(sendSettings),
		watchNetwork(() => host.state().state === "ready", host.restart),
		keys.onDidChange(() => panel.refresh()),
		panel.onDidChangeThread(() => policy.refresh()),
		policy.onDidChange(() => {
			documents.refreshPolicy();
			panel.refresh();
		}),
		host.onDidChangeState(({ state }) => {
			if (state !== "ready") {
				approvals.dropAll();
				questions.dropAll();
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
}

const REVEALED_KEY = "vitrine.revealed";

/** After the installation the view is an unselected tab of a side bar that may be closed: it is shown once. */
function revealOnce(memory: vscode.Memento, isVisible: () => boolean): void {
	if (memory.get(REVEALED_KEY) === true) return;
	void memory.update(REVEALED_KEY, true);
	if (!isVisible()) void vscode.commands.executeCommand("vitrine.chat.focus", { preserveFocus: true });
}

/** Number of files that are sent to the panel; the others are counted. */
const MAX_LISTED = 50;

function describeChanges(files: readonly ReviewedFile[]): PanelState["changes"] {
	if (files.length === 0) return undefined;
	const nameOf = (path: string): string => vscode.workspace.asRelativePath(path);
	return {
		files: files.length,
		hunks: files.reduce((sum, { hunks }) => sum + Math.max(1, hunks.length), 0),
		runWithBuild: files.filter((file) => file.runsWithBuild).map(({ path }) => nameOf(path)),
		list: files.slice(0, MAX_LISTED).map(({ path, operation, hunks }) => ({
			path,
			name: nameOf(path),
			operation,
			added: hunks.reduce((sum, { added }) => sum + added.length, 0),
			removed: hunks.reduce((sum, { removed }) => sum + removed.length, 0),
		})),
	};
}

function chooseEnvironment(remote: string | undefined): HostOptions["environment"] {
	if (remote === undefined) return "local";
	return /container|codespaces/.test(remote) ? "container" : "remote";
}

function readHostOptions(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): HostOptions {
	const read = readSettings();
	reportProblems(read.problems, log);
	const ripgrep = findEditorRipgrep(vscode.env.appRoot);
	return {
		home: context.globalStorageUri.fsPath,
		trusted: vscode.workspace.isTrusted,
		settings: read.settings,
		surface: { name: vscode.env.appName, version: vscode.version },
		locale: vscode.env.language,
		environment: chooseEnvironment(vscode.env.remoteName),
		...(ripgrep === undefined ? {} : { ripgrep }),
	};
}

/** Problems that were already shown; they are not shown again while they persist. */
let reported: ReadonlySet<string> = new Set();

function reportProblems(problems: readonly string[], log: vscode.LogOutputChannel): void {
	const fresh = problems.filter((problem) => !reported.has(problem));
	reported = new Set(problems);
	for (const problem of fresh) {
		log.error(problem);
		const openSettings = t("Open Settings");
		void vscode.window.showErrorMessage(t("Vitrine: {0}", problem), openSettings).then((answer) => {
			if (answer === openSettings) void vscode.commands.executeCommand(...PANEL_COMMAND_IDS.openSettings);
		});
	}
}

/** An installed extension opens no port, whatever its environment says. */
function readInspectPort({ extensionMode }: vscode.ExtensionContext): number | undefined {
	const port = Number(process.env.VITRINE_INSPECT_HOST);
	return extensionMode === vscode.ExtensionMode.Development && port > 0 ? port : undefined;
}
