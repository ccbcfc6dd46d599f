import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { t } from "../../../l10n/t.ts";
import type { Attachable, AttachableKind, EditorChip } from "../../wire.ts";

/** A chip above the prompt: from the editor (can be switched off) or added by the user (can be removed). */
export type Chip =
	| { readonly from: "editor"; readonly chip: Attachable; readonly isOn: boolean }
	| { readonly from: "reader"; readonly chip: Attachable };

/** What is attached to the next prompt, besides images. */
export class PageAttached {
	readonly offered: Signal<readonly EditorChip[]> = signal([]);
	readonly chosen: Signal<readonly Attachable[]> = signal([]);
	/** A kind that the user switched on or off overrides the settings. */
	readonly switched: Signal<Readonly<Partial<Record<AttachableKind, boolean>>>>;
	readonly chips: ReadonlySignal<readonly Chip[]> = computed(() => this.#chips());

	constructor(saved: unknown) {
		this.switched = signal(readSwitched(saved));
	}

	/** Takes the switches of the page before. */
	restore(saved: unknown): void {
		this.switched.value = readSwitched(saved);
	}

	toggle({ kind }: Attachable): void {
		const isOn = this.chips.value.some((entry) => entry.from === "editor" && entry.chip.kind === kind && entry.isOn);
		this.switched.value = { ...this.switched.value, [kind]: !isOn };
	}

	/** Returns why not all of them are attached, if so. */
	add(chips: readonly Attachable[]): string | undefined {
		const fresh = chips.filter(({ key }) => !this.chosen.value.some((other) => other.key === key));
		const all = [...this.chosen.value, ...fresh];
		this.chosen.value = all.slice(0, MAX_CHOSEN);
		if (all.length <= MAX_CHOSEN) return undefined;
		return t("Not everything is attached: a message can have up to {0} attachments.", MAX_CHOSEN);
	}

	remove(keys: readonly string[]): void {
		this.chosen.value = this.chosen.value.filter(({ key }) => !keys.includes(key));
	}

	/** Removes what was restored with an earlier prompt. */
	removeAgain(): void {
		this.chosen.value = this.chosen.value.filter(({ key }) => !key.startsWith("again "));
	}

	/** The attachments that will be sent. */
	listSelected(): readonly Attachable[] {
		const on = this.chips.value.filter((entry) => entry.from === "reader" || entry.isOn);
		return [...new Map(on.map(({ chip }) => [chip.key, chip])).values()];
	}

	#chips(): readonly Chip[] {
		const isChosen = ({ key }: Attachable): boolean => this.chosen.value.some((chip) => chip.key === key);
		const editor = this.offered.value
			.filter((chip) => !isChosen(chip))
			.map((chip): Chip => ({ from: "editor", chip, isOn: this.switched.value[chip.kind] ?? chip.isOn }));
		return [...editor, ...this.chosen.value.map((chip): Chip => ({ from: "reader", chip }))];
	}
}

/** Together with the editor's chips, this is the limit of the extension. */
const MAX_CHOSEN = 40;

function readSwitched(saved: unknown): PageAttached["switched"]["value"] {
	if (typeof saved !== "object" || saved === null || !("switched" in saved)) return {};
	const entries = Object.entries(saved.switched ?? {});
	return Object.fromEntries(entries.filter(([, value]) => typeof value === "boolean"));
}
