import { t } from "../../../l10n/t.ts";
import type { NextTurn, PanelCommand, PanelState } from "../../wire.ts";
import type { Transcript } from "../thread/transcript.ts";

/** One setting of the next turn, which a click changes. */
export interface Chip {
	readonly name: "folder" | "model" | "permissions" | "plan";
	readonly text: string;
	/** Full text for the tooltip. */
	readonly title: string;
	readonly command: PanelCommand;
	readonly level: "plain" | "warning";
}

/** Settings of the next turn as the host reports them; until then, guessed from the last turn and the window. */
export function listTurnChips(
	panel: PanelState,
	{ envelope, own }: Pick<Transcript, "envelope" | "own">,
): readonly Chip[] {
	const { next } = panel;
	const cwd = next === undefined ? (own?.cwd ?? envelope?.cwd) : next.cwd;
	const [first, ...others] = panel.folders;
	const folders = others.length > 0 ? `${first} +${others.length}` : (first ?? t("No folder"));
	const model = next === undefined ? own?.settings.model?.id || panel.model.label : describeModel(next);
	const mode = next?.mode ?? envelope?.permissionMode;
	const words = next?.name ?? envelope?.permissions ?? unknownReach(panel);
	const plans = next?.plans ?? own?.settings.modes?.collaboration === "plan";
	return [
		{
			name: "folder",
			text: cwd === undefined ? folders : baseName(cwd),
			title: t("Folder: {0}", cwd ?? folders),
			command: first === undefined ? "openFolder" : "changeFolder",
			level: next?.isFolderOpen === false ? "warning" : "plain",
		},
		{ name: "model", text: model, title: t("Model: {0}", model), command: "changeModel", level: "plain" },
		{
			name: "permissions",
			text: words,
			title: t("Permissions: {0}", words),
			command: "changePermissions",
			level: mode === "full" ? "warning" : "plain",
		},
		...(plans ? [planChip()] : []),
	];
}

function describeModel({ model, effort }: NextTurn): string {
	return effort === undefined ? model : `${model} (${effort})`;
}

function planChip(): Chip {
	const title = t("Plan mode is on. The next turn makes no changes.");
	return { name: "plan", text: t("Plan"), title, command: "togglePlan", level: "plain" };
}

/** Used until the host has reported anything. */
function unknownReach({ folders, folderProblem, trusted }: PanelState): string {
	if (folders.length === 0 || folderProblem !== undefined) return t("no file access");
	return trusted ? t("permissions") : t("Read Only");
}

function baseName(path: string): string {
	return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}
