import type * as vscode from "vscode";
import * as z from "zod";
import { ModelSettings } from "../../../agent-host/protocol/settings/settings.ts";

/** A model and where it is asked for: enough to choose it again. */
const ChosenModel = ModelSettings.pick({ provider: true, wire: true, auth: true, baseUrl: true, id: true });
export type ChosenModel = z.infer<typeof ChosenModel>;

const MAX_RECENT = 5;
const MAX_FAVORITES = 30;

const FAVORITES = "vitrine.models.favorites";
const RECENT = "vitrine.models.recent";

/** The user's favorite models, and those that were chosen last, in all windows. */
export interface ModelShelf {
	readonly favorites: () => readonly ChosenModel[];
	readonly recent: () => readonly ChosenModel[];
	readonly toggleFavorite: (model: ChosenModel) => Thenable<void>;
	readonly noteChosen: (model: ChosenModel) => Thenable<void>;
}

export function createModelShelf(memory: Pick<vscode.Memento, "get" | "update">): ModelShelf {
	// Another release may have written something else; then the list begins again.
	const read = (key: string) => z.array(ChosenModel).safeParse(memory.get(key)).data ?? [];
	return {
		favorites: () => read(FAVORITES),
		recent: () => read(RECENT),
		toggleFavorite(model) {
			const before = read(FAVORITES);
			const others = before.filter((one) => !isSameModel(one, model));
			const next = others.length < before.length ? others : [...others, pickChosen(model)];
			return memory.update(FAVORITES, next.slice(-MAX_FAVORITES));
		},
		noteChosen(model) {
			const others = read(RECENT).filter((one) => !isSameModel(one, model));
			return memory.update(RECENT, [pickChosen(model), ...others].slice(0, MAX_RECENT));
		},
	};
}

export function isSameModel(a: ChosenModel, b: ChosenModel): boolean {
	return JSON.stringify(pickChosen(a)) === JSON.stringify(pickChosen(b));
}

/** In one order of keys, and without anything else. */
export function pickChosen({ provider, wire, auth, baseUrl, id }: ChosenModel): ChosenModel {
	return { provider, wire, auth, baseUrl, id };
}
