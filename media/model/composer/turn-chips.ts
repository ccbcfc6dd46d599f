import { t } from "../../../l10n/t.ts";
import type { NextTurn, PanelCommand, PanelState } from "../../wire.ts";

/** One setting of the next turn, which a click changes. */
export interface Chip {
	readonly name: "folder" | "model" | "permissions" | "plan" | "live";
	readonly text: string;
	/** Full text for the tooltip. */
	readonly title: string;
	readonly command: PanelCommand;
	readonly level: "plain" | "warning" | "unconfirmed";
}

/**
 * What the next turn will use, as the host reports it. Before it has reported on the open thread, what it reported last,
 * or else what the window says, is shown as unconfirmed.
 */
export function listTurnChips(panel: PanelState, confirmed: NextTurn | undefined): readonly Chip[] {
	const next = confirmed ?? panel.next;
	const [first, ...others] = panel.folders;
	const folders = others.length > 0 ? `${first} +${others.length}` : (first ?? t("No folder"));
	const model = (next === undefined ? panel.model.label : describeModel(next)) || t("No model chosen");
	const words = next?.name ?? unknownReach(panel);
	const chips: readonly Chip[] = [
		{
			name: "folder",
			text: next?.cwd === undefined ? folders : baseName(next.cwd),
			title: t("Folder: {0}", next?.cwd ?? folders),
			command: first === undefined ? "openFolder" : "changeFolder",
			level: next?.isFolderOpen === false ? "warning" : "plain",
		},
		{ name: "model", text: model, title: t("Model: {0}", model), command: "changeModel", level: "plain" },
		{
			name: "permissions",
			text: words,
			title: t("Permissions: {0}", words),
			command: "changePermissions",
			level: next?.mode === "full" ? "warning" : "plain",
		},
		...(next?.plans ? [planChip()] : []),
		...(next?.isLive ? [liveChip()] : []),
	];
	if (confirmed !== undefined) return chips;
	return chips.map((chip) => (chip.level === "warning" ? chip : { ...chip, level: "unconfirmed" }));
}

function describeModel({ model, effort }: NextTurn): string {
	return effort === undefined || model === "" ? model : `${model} (${effort})`;
}

function planChip(): Chip {
	const title = t("Plan mode is on. The next turn makes no changes.");
	return { name: "plan", text: t("Plan"), title, command: "togglePlan", level: "plain" };
}

function liveChip(): Chip {
	const title = t("Live mode is on. Answers are short enough to be read aloud.");
	return { name: "live", text: t("Live"), title, command: "toggleLive", level: "plain" };
}

/** Used until the host has reported anything. */
function unknownReach({ folders, folderProblem, trusted }: PanelState): string {
	if (folders.length === 0 || folderProblem !== undefined) return t("no file access");
	return trusted ? t("permissions") : t("Read Only");
}

function baseName(path: string): string {
	return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}
