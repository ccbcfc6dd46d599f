import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Row } from "../thread/rows.ts";
import { findMatches, type Match } from "./find-matches.ts";

/** Find in the whole thread, including rows that are not drawn. */
export class Find {
	readonly isOpen = signal(false);
	readonly query = signal("");
	/** Incremented when the input should take the focus. */
	readonly focusAsked = signal(0);
	readonly matches: ReadonlySignal<readonly Match[]>;
	/** Index of the current match. */
	readonly place: ReadonlySignal<number>;
	readonly #wanted: Signal<number> = signal(0);
	readonly #show: (match: Match) => void;

	constructor(rows: ReadonlySignal<readonly Row[]>, show: (match: Match) => void) {
		this.#show = show;
		this.matches = computed(() => (this.isOpen.value ? findMatches(rows.value, this.query.value) : []));
		this.place = computed(() => Math.min(this.#wanted.value, this.matches.value.length - 1));
	}

	open(): void {
		batch(() => {
			this.isOpen.value = true;
			this.focusAsked.value++;
		});
	}

	close(): void {
		this.isOpen.value = false;
	}

	/** Starts at the newest match, which is nearest to where most readers are. */
	search(query: string): void {
		this.query.value = query;
		this.#showMatch(this.matches.value.length - 1);
	}

	/** Moves to the next or previous match and wraps around. */
	step(direction: "next" | "previous"): void {
		const { length } = this.matches.value;
		if (length > 0) this.#showMatch((this.place.value + (direction === "next" ? 1 : -1) + length) % length);
	}

	#showMatch(place: number): void {
		this.#wanted.value = Math.max(place, 0);
		const match = this.matches.value[place];
		if (match) this.#show(match);
	}
}
