import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PanelCommand, ReviewAct } from "../../media/wire.ts";
import { OPENED } from "./parts.ts";
import { TO_NEXT } from "./settings/raise-limit.ts";

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
	reviewBranch: ["vitrine.reviewBranch"],
	reviewCommit: ["vitrine.reviewCommit"],
	undoRestore: ["vitrine.redoRestore"],
	restoreCheckpoint: ["vitrine.restoreCheckpoint"],
	togglePlan: ["vitrine.togglePlan"],
	toggleLive: ["vitrine.toggleLive"],
	openPlan: ["vitrine.openPlan"],
	revisePlan: ["vitrine.revisePlan"],
	goWithPlan: ["vitrine.goWithPlan"],
	goWithPlanInNewThread: ["vitrine.goWithPlanInNewThread"],
	useSettings: ["vitrine.useSettings"],
	keepSettings: ["vitrine.keepSettings"],
	openThreadFolder: ["vitrine.openThreadFolder"],
};

/** They are about the pending changes of the page's thread, and of no other, also if it has none any more. */
const ABOUT_CHANGES: ReadonlySet<PanelCommand> = new Set(["reviewChanges", "keepAllChanges", "rejectAllChanges"]);

/** They ask in a list or a field, and change something of the page's thread. */
const ASKING: ReadonlySet<PanelCommand> = new Set([
	"renameThread",
	"changeFolder",
	"changeModel",
	"changeEffort",
	"changePermissions",
	"raiseLimit",
	"restoreCheckpoint",
]);

/**
 * Whether the focus belongs in the chat again after the command of a button. Once a list or field is closed, the editor
 * gives the focus to the open file, into which the next words would be typed.
 */
export function returnsToChat(button: PanelCommand, outcome: unknown): boolean {
	return ASKING.has(button) && outcome !== OPENED;
}

/** The command of a button, with its arguments, in a page with this thread. */
export function findCommand(button: PanelCommand, threadId: ThreadId | undefined): readonly [string, ...unknown[]] {
	const command = PANEL_COMMAND_IDS[button];
	return threadId !== undefined && ABOUT_CHANGES.has(button) ? [...command, { id: threadId }] : command;
}

/** Those of its buttons on a changed file. */
export const REVIEW_COMMAND_IDS: Readonly<Record<ReviewAct, string>> = {
	open: "vitrine.openFileChanges",
	keep: "vitrine.keepFileChanges",
	reject: "vitrine.rejectFileChanges",
};
