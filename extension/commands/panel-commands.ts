import type { PanelCommand, ReviewAct } from "../../media/wire.ts";
import { TO_NEXT } from "./settings/raise-limit.ts";

/** Commands of the panel's buttons, by the names that the page uses. */
export const PANEL_COMMAND_IDS: Readonly<Record<PanelCommand, readonly [string, ...unknown[]]>> = {
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

/** Those of its buttons on a changed file. */
export const REVIEW_COMMAND_IDS: Readonly<Record<ReviewAct, string>> = {
	open: "vitrine.openFileChanges",
	keep: "vitrine.keepFileChanges",
	reject: "vitrine.rejectFileChanges",
};
