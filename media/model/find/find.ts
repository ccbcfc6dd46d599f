import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Row } from "../thread/rows.ts";
import { findMatches, type Match } from "./find-matches.ts";

/** Looking for words in the whole thread, also in what is not drawn. */
export class Find {
	readonly isOpen = signal(false);
	readonly query = signal("");
	/** Counts up when the words should take the focus. */
	readonly focusAsked = signal(0);
	readonly matches: ReadonlySignal<readonly Match[]>;
	/** Place of the match shown among all of them. */
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

	/** The newest place comes first: it is the nearest to where most readers are. */
	search(query: string): void {
		this.query.value = query;
		this.#showMatch(this.matches.value.length - 1);
	}

	/** Around the end and the beginning. */
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
