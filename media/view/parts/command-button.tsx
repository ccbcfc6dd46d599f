import { type Message, t } from "../../../l10n/t.ts";
import type { PanelCommand } from "../../wire.ts";
import { usePage } from "./page-context.ts";

interface Props {
	readonly command: PanelCommand;
	readonly look: "button" | "text-button";
	/** Replaces the default label. */
	readonly label?: string;
}

/** A button that runs a command of the extension. */
export function CommandButton({ command, look, label }: Props) {
	const page = usePage();
	return (
		<button type="button" class={look} data-action={command} onClick={() => page.run(command)}>
			{label ?? t(COMMAND_LABELS[command])}
		</button>
	);
}

const COMMAND_LABELS: Record<PanelCommand, Message> = {
	setUpModel: "Set Up Model",
	manageTrust: "Manage Workspace Trust",
	openFolder: "Open Folder",
	showLog: "Show Log",
	restartHost: "Restart Agent Host",
	checkSandbox: "Check Again",
	newThread: "New Thread",
	renameThread: "Rename Thread",
	openSettings: "Open Settings",
	changeFolder: "Change Folder",
	changeModel: "Change Model",
	showPolicy: "Show Effective Policy",
	changeEffort: "Change Reasoning Effort",
	forkThread: "Fork Thread",
	exportThread: "Export Thread",
	changePermissions: "Change Permissions",
	showContext: "Show Context",
	compact: "Compact",
	raiseLimit: "Raise Limit…",
	raiseToNextLimit: "Raise Limit",
	reviewChanges: "Review",
	keepAllChanges: "Keep All",
	rejectAllChanges: "Reject All",
	showStatus: "Show Status",
	doctor: "Run Doctor",
	runProbe: "Test Sandbox",
	reviewUncommitted: "Review",
	reviewBranch: "Review",
	reviewCommit: "Review",
	restoreCheckpoint: "Restore",
	undoRestore: "Undo",
	togglePlan: "Toggle Plan Mode",
	toggleLive: "Toggle Live Mode",
	openPlan: "Open Plan",
	revisePlan: "Revise",
	goWithPlan: "Go",
	goWithPlanInNewThread: "Go in New Thread",
	useSettings: "Use Settings",
	keepSettings: "Keep",
	openThreadFolder: "Open Folder in New Window",
};
