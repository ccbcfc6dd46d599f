import * as vscode from "vscode";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import type { ThreadSummary } from "../../agent-host/protocol/thread/thread.ts";
import { t } from "../../l10n/t.ts";
import { showError } from "../facts/show-message.ts";
import { describeFailure, isCancelled } from "../host/call.ts";
import type { ActivityRow } from "../views/activity/activity-view.ts";
import type { ServerRow } from "../views/servers/servers-view.ts";
import type { ThreadRow } from "../views/threads/thread-groups.ts";
import { openChatInEditor, openChatInWindow, showChatInView, toggleChat } from "./chat/chat-place.ts";
import { writeCommitMessage } from "./chat/commit-message.ts";
import {
	addFile,
	addProblems,
	addTerminalOutput,
	addTerminalSelection,
	dismissFinding,
	type EditorCommand,
	editSelection,
	explain,
	fixProblem,
	reviewBranch,
	reviewCommit,
	reviewGit,
	reviewUncommitted,
	sendSelection,
} from "./chat/editor-actions.ts";
import {
	commentPlan,
	deletePlanComment,
	goWithPlan,
	goWithPlanInNewThread,
	openPlan,
	revisePlan,
} from "./chat/plan-actions.ts";
import { setGoal } from "./chat/set-goal.ts";
import { compact, compactWithPreview, undoCompaction } from "./context/compact-thread.ts";
import { openInstructions, reloadInstructions } from "./context/instructions.ts";
import { newCommand, newSkill } from "./customize/new-customization.ts";
import { installPlugin, removePlugin } from "./customize/plugins.ts";
import { remember } from "./customize/remember.ts";
import { importSettings } from "./import/import-settings.ts";
import { changeModel, changeReasoningEffort } from "./model/change-model.ts";
import { forgetLessons } from "./model/forget-lessons.ts";
import { setUpModel } from "./model/set-up-model.ts";
import { signOut } from "./model/sign-out.ts";
import type { Parts } from "./parts.ts";
import { SERVER_COMMANDS } from "./reports/server-actions.ts";
import { ACTIVITY_COMMANDS, showLedger, showProcesses } from "./reports/show-activity.ts";
import { collectDiagnostics, showReport, showRequestDiff } from "./reports/show-reports.ts";
import { HUNK_COMMANDS, hunkFrom, nextChange, previousChange } from "./review/hunk-actions.ts";
import { redoRestore, restoreCheckpoint } from "./review/restore-files.ts";
import { keepAll, keepFile, openFileChanges, rejectAll, rejectFile, reviewChanges } from "./review/review-changes.ts";
import { changeFolder } from "./settings/change-folder.ts";
import { changePermissions } from "./settings/change-permissions.ts";
import { raiseLimit } from "./settings/raise-limit.ts";
import { keepSettings, toggleLive, togglePlan, useSettings } from "./settings/thread-settings.ts";
import { exportCapsule, replayCapsule } from "./threads/capsule.ts";
import {
	archiveThread,
	deleteThread,
	renameShownThread,
	renameThread,
	unarchiveThread,
} from "./threads/manage-threads.ts";
import { openThread, openThreadFolder, openThreadInEditor } from "./threads/open-thread.ts";
import { searchThreads } from "./threads/search-threads.ts";
import {
	exportThread,
	importThread,
	openThreadAsDocument,
	repairHistory,
	verifyHistory,
} from "./threads/transfer-threads.ts";
import { forkThread, rollBackTurn, steerWithClipboard } from "./threads/turn-actions.ts";
import { dropWorktree, mergeWorktree, newThreadInWorktree } from "./threads/worktree-threads.ts";

/** What it returns is the result of the command. */
type Command = (parts: Parts) => unknown;
type ThreadCommand = (parts: Parts, thread: ThreadSummary) => Promise<void>;

/** Every command of the palette by its id in the manifest. */
export const COMMANDS: Readonly<Record<string, Command>> = {
	"vitrine.newThread": async ({ panel }) => {
		await panel.showThread(undefined);
		await panel.focusInput();
	},
	"vitrine.newThreadInWorktree": newThreadInWorktree,
	"vitrine.openChat": ({ panel }) => panel.focusInput(),
	"vitrine.toggleChat": toggleChat,
	"vitrine.openChatInEditor": openChatInEditor,
	"vitrine.openChatInWindow": openChatInWindow,
	"vitrine.showChatInView": showChatInView,
	"vitrine.focusInput": ({ panel }) => panel.focusInput(),
	"vitrine.stop": ({ panel }) => panel.stop(),
	"vitrine.steerWithClipboard": steerWithClipboard,
	"vitrine.togglePlan": togglePlan,
	"vitrine.toggleLive": toggleLive,
	"vitrine.useSettings": useSettings,
	"vitrine.keepSettings": keepSettings,
	"vitrine.openThreadFolder": openThreadFolder,
	"vitrine.restartHost": ({ host }) => host.restart(),
	"vitrine.checkSandbox": ({ host }) => host.request(hostStatus, { check: "sandbox" }),
	"vitrine.showLog": ({ log }) => log.show(),
	"vitrine.showTrace": ({ trace }) => trace.show(),
	"vitrine.showStatus": showReport("Status"),
	"vitrine.doctor": showReport("Doctor"),
	"vitrine.forgetLessons": forgetLessons,
	"vitrine.collectDiagnostics": collectDiagnostics,
	"vitrine.openSettings": () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:vitrine.vitrine"),
	"vitrine.openWalkthrough": () =>
		vscode.commands.executeCommand("workbench.action.openWalkthrough", "vitrine.vitrine#start", false),
	"vitrine.manageTrust": () => vscode.commands.executeCommand("workbench.trust.manage"),
	"vitrine.openInstructions": openInstructions,
	"vitrine.reloadInstructions": reloadInstructions,
	"vitrine.lintInstructions": showReport("Instructions"),
	"vitrine.newSkill": newSkill,
	"vitrine.newCommand": newCommand,
	"vitrine.installPlugin": installPlugin,
	"vitrine.removePlugin": removePlugin,
	"vitrine.setUpModel": setUpModel,
	"vitrine.signOut": ({ host, keys }) => signOut(host, keys),
	"vitrine.exportThread": (parts) => exportThread(parts),
	"vitrine.importThread": importThread,
	"vitrine.importSettings": importSettings,
	"vitrine.verifyHistory": verifyHistory,
	"vitrine.repairHistory": repairHistory,
	"vitrine.exportCapsule": exportCapsule,
	"vitrine.replayCapsule": replayCapsule,
	"vitrine.changePermissions": changePermissions,
	"vitrine.changeFolder": changeFolder,
	"vitrine.changeModel": changeModel,
	"vitrine.changeReasoningEffort": changeReasoningEffort,
	"vitrine.showPolicy": ({ panel, documents }) => {
		const threadId = panel.threadId();
		return documents.open(threadId === undefined ? { kind: "policy" } : { kind: "policy", threadId });
	},
	"vitrine.runPolicyProbe": showReport("Sandbox Test"),
	"vitrine.showCacheReport": showReport("Cache Report"),
	"vitrine.showRequestDiff": showRequestDiff,
	"vitrine.showLedger": showLedger,
	"vitrine.showProcesses": showProcesses,
	"vitrine.showContext": ({ inspector }) => inspector.show(),
	"vitrine.forkThread": forkThread,
	"vitrine.searchThreads": searchThreads,
	"vitrine.openThreadAsDocument": (parts) => openThreadAsDocument(parts),
	"vitrine.rollBackTurn": rollBackTurn,
	"vitrine.compact": compact,
	"vitrine.compactWithPreview": compactWithPreview,
	"vitrine.undoCompaction": undoCompaction,
	"vitrine.applyCompaction": ({ preview }) => preview.apply(),
	"vitrine.discardCompaction": ({ preview }) => preview.discard(),
	"vitrine.nextChange": nextChange,
	"vitrine.previousChange": previousChange,
	"vitrine.restoreCheckpoint": restoreCheckpoint,
	"vitrine.redoRestore": redoRestore,
	"vitrine.refreshThreads": ({ threads }) => threads.refresh(),
	"vitrine.groupThreads": ({ threads }) => threads.show({ order: "byFolder" }),
	"vitrine.ungroupThreads": ({ threads }) => threads.show({ order: "plain" }),
	"vitrine.renameShownThread": renameShownThread,
	"vitrine.showArchivedThreads": ({ threads }) => threads.show({ which: "archived" }),
	"vitrine.showCurrentThreads": ({ threads }) => threads.show({ which: "current" }),
	"vitrine.filterThreads": async () => {
		await vscode.commands.executeCommand("vitrine.threads.focus");
		await vscode.commands.executeCommand("list.find");
	},
};

/** Commands that receive arguments from the editor's menus or from the panel. */
export const EDITOR_COMMANDS: Readonly<Record<string, EditorCommand>> = {
	"vitrine.sendSelection": sendSelection,
	"vitrine.addFile": addFile,
	"vitrine.addProblems": addProblems,
	"vitrine.addTerminalOutput": addTerminalOutput,
	"vitrine.addTerminalSelection": addTerminalSelection,
	"vitrine.editSelection": editSelection,
	"vitrine.explain": explain,
	"vitrine.fixProblem": fixProblem,
	"vitrine.reviewGit": reviewGit,
	"vitrine.reviewUncommitted": reviewUncommitted,
	"vitrine.reviewBranch": reviewBranch,
	"vitrine.reviewCommit": reviewCommit,
	"vitrine.dismissFinding": dismissFinding,
	"vitrine.writeCommitMessage": writeCommitMessage,
	"vitrine.openPlan": openPlan,
	"vitrine.revisePlan": revisePlan,
	"vitrine.goWithPlan": goWithPlan,
	"vitrine.goWithPlanInNewThread": goWithPlanInNewThread,
	"vitrine.commentPlan": commentPlan,
	"vitrine.deletePlanComment": deletePlanComment,
	"vitrine.raiseLimit": raiseLimit,
	"vitrine.setGoal": setGoal,
	"vitrine.remember": remember,
	"vitrine.mergeWorktree": mergeWorktree,
	"vitrine.dropWorktree": dropWorktree,
	"vitrine.reviewChanges": reviewChanges,
	"vitrine.keepAllChanges": keepAll,
	"vitrine.rejectAllChanges": rejectAll,
	"vitrine.keepFileChanges": keepFile,
	"vitrine.rejectFileChanges": rejectFile,
	"vitrine.openFileChanges": openFileChanges,
};

/** Commands on a row of the Threads view. */
export const THREAD_COMMANDS: Readonly<Record<string, ThreadCommand>> = {
	"vitrine.openThread": openThread,
	"vitrine.openThreadInEditor": openThreadInEditor,
	"vitrine.renameThread": renameThread,
	"vitrine.exportThisThread": exportThread,
	"vitrine.readThread": openThreadAsDocument,
	"vitrine.archiveThread": archiveThread,
	"vitrine.unarchiveThread": unarchiveThread,
	"vitrine.pinThread": ({ threads }, { threadId }) => threads.pin(threadId),
	"vitrine.unpinThread": ({ threads }, { threadId }) => threads.unpin(threadId),
	"vitrine.deleteThread": deleteThread,
};

export function registerCommands(parts: Parts): vscode.Disposable {
	const guard = async (work: () => ReturnType<Command>): Promise<unknown> => {
		try {
			return await work();
		} catch (error) {
			if (isCancelled(error)) return undefined;
			parts.log.error(describeFailure(error));
			void showError(t("Vitrine: {0}", describeFailure(error)));
			return undefined;
		}
	};
	const plain = Object.entries(COMMANDS).map(([id, run]) =>
		vscode.commands.registerCommand(id, () => guard(() => run(parts))),
	);
	const onEditor = Object.entries(EDITOR_COMMANDS).map(([id, run]) =>
		vscode.commands.registerCommand(id, (...chosen: readonly unknown[]) => guard(() => run(parts, ...chosen))),
	);
	const onThread = Object.entries(THREAD_COMMANDS).map(([id, run]) =>
		// A menu or key passes the row, a click passes its thread, the palette passes nothing.
		vscode.commands.registerCommand(id, (on?: ThreadSummary | ThreadRow | null) =>
			guard(() => {
				const chosen = on ?? parts.threads.selected();
				const thread = chosen !== undefined && "kind" in chosen ? readThread(chosen) : chosen;
				return thread === undefined ? undefined : run(parts, thread);
			}),
		),
	);
	const onActivity = Object.entries(ACTIVITY_COMMANDS).map(([id, run]) =>
		vscode.commands.registerCommand(id, (row?: ActivityRow) => guard(() => run(parts, row))),
	);
	const onServer = Object.entries(SERVER_COMMANDS).map(([id, run]) =>
		vscode.commands.registerCommand(id, (row?: ServerRow) => guard(() => run(parts, row))),
	);
	const onHunk = Object.entries(HUNK_COMMANDS).map(([id, run]) =>
		vscode.commands.registerCommand(id, (from?: unknown) =>
			guard(() => {
				const hunk = hunkFrom(parts, from);
				if (hunk === undefined) throw new Error(t("Place the cursor on a pending change first."));
				return run(parts, hunk, from);
			}),
		),
	);
	return vscode.Disposable.from(...plain, ...onEditor, ...onThread, ...onActivity, ...onServer, ...onHunk);
}

function readThread(row: ThreadRow): ThreadSummary | undefined {
	return row.kind === "thread" ? row.thread : undefined;
}
