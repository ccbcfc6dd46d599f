import * as vscode from "vscode";
import { t } from "../../../l10n/t.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { describeFailure } from "../../host/call.ts";
import { describePlace, type Offered, type ProviderGroup } from "./model-groups.ts";
import { type ChosenModel, isSameModel, type ModelShelf, pickChosen } from "./model-shelf.ts";
import { describeCut, describeOffered } from "./model-words.ts";

/** The end of the picker: a model, a name to type at the thread's provider, or another set-up. */
export type Picked =
	| ({ readonly kind: "model" } & ChosenModel)
	| { readonly kind: "type" }
	| { readonly kind: "setUp" };

interface Row extends vscode.QuickPickItem {
	/** Absent for a separator. */
	readonly choice?: Picked;
}

interface Picker {
	readonly title: string;
	readonly placeholder: string;
	readonly current: ChosenModel;
	/** The thread's own provider first. */
	readonly groups: readonly ProviderGroup[];
	readonly load: (group: ProviderGroup) => Promise<readonly Offered[]>;
	readonly shelf: ModelShelf;
}

/** Offers the models of all providers, each as soon as its provider has listed them. */
export async function pickModel({
	title,
	placeholder,
	current,
	groups,
	load,
	shelf,
}: Picker): Promise<Picked | undefined> {
	const pick = vscode.window.createQuickPick<Row>();
	pick.title = title;
	pick.placeholder = placeholder;
	pick.matchOnDescription = true;
	pick.busy = true;
	const listed: ListedGroup[] = [];
	const draw = (): void => {
		const [active] = pick.activeItems;
		const [own, ...others] = listed;
		// Later groups are appended, so that nothing moves under the pointer.
		pick.items = [
			...shelfRows(t("Favorites"), shelf.favorites(), listed),
			...shelfRows(t("Recently Used"), shelf.recent().filter(isNotIn(shelf.favorites())), listed),
			...(own === undefined ? [] : drawGroup(own)),
			separate(""),
			{ label: `$(edit) ${t("Type a name…")}`, choice: { kind: "type" } },
			{ label: `$(settings-gear) ${t("Set Up Another Model…")}`, choice: { kind: "setUp" } },
			...others.flatMap(drawGroup),
		];
		const same = pick.items.find((row) => active !== undefined && row.label === active.label);
		if (same !== undefined) pick.activeItems = [same];
	};
	const add = (group: ProviderGroup, models: Promise<readonly Offered[]>): Promise<void> =>
		models.then(
			(all) => {
				listed.push({ group, rows: all.map((one) => modelRow(group, one, current)) });
				draw();
			},
			(error: unknown) => {
				const row = { label: `$(warning) ${t("Can't list models")}`, detail: withoutIcons(describeFailure(error)) };
				listed.push({ group, rows: [{ ...row, choice: { kind: "setUp" } }] });
				draw();
			},
		);
	const asked = groups.map((group) => ({ group, models: load(group) }));
	// Every failure is shown in its place, whenever it comes.
	for (const { models } of asked) models.catch(() => undefined);
	const chosen = new Promise<Row | undefined>((resolve) => {
		pick.onDidAccept(() => resolve(pick.selectedItems[0]));
		pick.onDidHide(() => resolve(undefined));
		pick.onDidTriggerItemButton(async ({ item: { choice } }) => {
			if (choice?.kind !== "model") return;
			await shelf.toggleFavorite(pickChosen(choice));
			draw();
		});
		pick.show();
	});
	const [own, ...others] = asked;
	const loaded = (own === undefined ? Promise.resolve() : add(own.group, own.models)).then(async () => {
		await Promise.all(others.map(({ group, models }) => add(group, models)));
		pick.busy = false;
	});
	const row = await chosen;
	pick.dispose();
	void loaded;
	return row?.choice;
}

const STAR = { iconPath: new vscode.ThemeIcon("star-empty") };

function modelRow({ place }: ProviderGroup, offered: Offered, current: ChosenModel): Row {
	const model = { ...place, id: offered.id };
	const words = describeOffered(offered);
	return {
		label: withoutIcons(offered.id),
		description: isSameModel(model, current) ? t("current, {0}", words) : words,
		buttons: [{ ...STAR, tooltip: t("Add to or Remove from Favorites") }],
		choice: { kind: "model", ...model },
	};
}

interface ListedGroup {
	readonly group: ProviderGroup;
	readonly rows: readonly Row[];
}
type Listed = readonly ListedGroup[];

function drawGroup({ group, rows }: ListedGroup): readonly Row[] {
	return [separate([group.label, describeCut(rows.length) ?? []].flat().join(", ")), ...rows];
}

/** Models that the user has marked or used before. They can be chosen before their provider has listed them. */
function shelfRows(title: string, models: readonly ChosenModel[], listed: Listed): readonly Row[] {
	if (models.length === 0) return [];
	const rows = models.map((model): Row => {
		const label =
			listed.find(({ group }) => group.place.baseUrl === model.baseUrl)?.group.label ?? describePlace(model);
		return {
			label: withoutIcons(model.id),
			description: label,
			buttons: [{ ...STAR, tooltip: t("Add to or Remove from Favorites") }],
			choice: { kind: "model", ...model },
		};
	});
	return [separate(title), ...rows];
}

function separate(label: string): Row {
	return { label, kind: vscode.QuickPickItemKind.Separator };
}

function isNotIn(models: readonly ChosenModel[]): (model: ChosenModel) => boolean {
	return (model) => !models.some((one) => isSameModel(one, model));
}
