import type { PathTable } from "./path-table.ts";
import { OUT } from "./scores.ts";

/** The best paths of a search, sorted; equal scores are sorted alphabetically. */
export class Best {
	/** A path with a lower score is not taken. */
	least = OUT;
	readonly #table: PathTable;
	readonly #limit: number;
	readonly #rows: number[] = [];
	readonly #scores: number[] = [];

	constructor(table: PathTable, limit: number) {
		this.#table = table;
		this.#limit = limit;
	}

	take(row: number, score: number): void {
		const isFull = this.#rows.length === this.#limit;
		if (isFull && this.#isBefore(this.#limit - 1, row, score)) return;
		let low = 0;
		let high = this.#rows.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.#isBefore(middle, row, score)) low = middle + 1;
			else high = middle;
		}
		this.#rows.splice(low, 0, row);
		this.#scores.splice(low, 0, score);
		this.#rows.length = Math.min(this.#rows.length, this.#limit);
		this.#scores.length = this.#rows.length;
		if (this.#rows.length === this.#limit) this.require(this.#scores[this.#limit - 1] ?? this.least);
	}

	require(score: number): void {
		this.least = Math.max(this.least, score);
	}

	texts(): readonly string[] {
		return this.#rows.map((row) => this.#table.textOf(row));
	}

	#isBefore(place: number, row: number, score: number): boolean {
		const other = this.#scores[place] ?? score;
		return other > score || (other === score && this.#table.isBefore(this.#rows[place] ?? row, row));
	}
}
