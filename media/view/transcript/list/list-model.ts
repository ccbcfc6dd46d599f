import { expandRow, type Row } from "../../../model/thread/rows.ts";

/** Rows from `first` up to, but not including, `end`. */
export interface Range {
	readonly first: number;
	readonly end: number;
}

/** A row, and the distance of its top from the top of the view; negative if it is partly above. */
export interface Anchor {
	readonly key: string;
	readonly top: number;
}

/** Positions of the rows: measured or estimated heights, and their sums. */
export class ListModel {
	#rows: Row[] = [];
	readonly #heights = new Map<string, number>();
	readonly #index = new Map<string, number>();
	/** `#offsets[i]` is where row `i` starts; valid up to and including index `#clean`. */
	#offsets = new Float64Array(1);
	#clean = 0;

	get rows(): readonly Row[] {
		return this.#rows;
	}

	get total(): number {
		return this.offsetAt(this.#rows.length);
	}

	setRows(rows: readonly Row[]): void {
		let same = 0;
		while (same < rows.length && rows[same] === this.#rows[same]) same++;
		this.#rows = [...rows];
		this.#clean = Math.min(this.#clean, same);
	}

	setHeight(key: string, height: number): void {
		if (this.#heights.get(key) === height) return;
		this.#heights.set(key, height);
		this.#clean = Math.min(this.#clean, this.#index.get(key) ?? this.#clean);
	}

	offsetAt(index: number): number {
		this.#refresh();
		return this.#offsets[index] ?? 0;
	}

	indexOf(key: string): number | undefined {
		this.#refresh();
		const index = this.#index.get(key);
		return index !== undefined && this.#rows[index]?.key === key ? index : undefined;
	}

	/** Index of a row, splitting its answer first if needed. */
	reveal(key: string): number | undefined {
		const index = this.indexOf(key);
		if (index !== undefined) return index;
		const whole = this.indexOf(key.slice(0, key.lastIndexOf(".")));
		if (whole !== undefined) this.#expand({ first: whole, end: whole + 1 });
		return this.indexOf(key);
	}

	/** The row at a vertical position; splits answers there, so that it is a row that will be drawn. */
	anchorAt(y: number): Anchor | undefined {
		let index = this.#rowAt(y);
		while (this.#expand({ first: index, end: index + 1 })) index = this.#rowAt(y);
		const row = this.#rows[index];
		return row && { key: row.key, top: this.offsetAt(index) - y };
	}

	/** Rows between two positions relative to the top of the view, which may lie outside the list. */
	rangeAround(anchor: Anchor, above: number, below: number): Range {
		for (;;) {
			const y = this.offsetAt(this.indexOf(anchor.key) ?? 0) - anchor.top;
			const range = { first: this.#rowAt(y - above), end: this.#rowAt(y + below) + 1 };
			if (!this.#expand(range)) return range;
		}
	}

	rangeAtEnd(height: number): Range {
		for (;;) {
			const range = { first: this.#rowAt(this.total - height), end: this.#rows.length };
			if (!this.#expand(range)) return range;
		}
	}

	#rowAt(y: number): number {
		this.#refresh();
		let low = 0;
		let high = Math.max(this.#rows.length - 1, 0);
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if ((this.#offsets[middle] ?? 0) <= y) low = middle;
			else high = middle - 1;
		}
		return low;
	}

	#expand({ first, end }: Range): boolean {
		const unsplit = this.#rows.slice(first, end).some((row) => row.type === "unsplit");
		if (!unsplit) return false;
		const rows = this.#rows.slice(first, end).flatMap((row) => (row.type === "unsplit" ? expandRow(row) : [row]));
		this.#rows = [...this.#rows.slice(0, first), ...rows, ...this.#rows.slice(end)];
		this.#clean = Math.min(this.#clean, first);
		return true;
	}

	#refresh(): void {
		const count = this.#rows.length;
		if (this.#clean === count && this.#offsets.length > count) return;
		if (this.#offsets.length <= count) this.#offsets = grow(this.#offsets, count + 1);
		for (let index = this.#clean; index < count; index++) {
			const row = this.#rows[index];
			if (!row) break;
			this.#index.set(row.key, index);
			this.#offsets[index + 1] = (this.#offsets[index] ?? 0) + (this.#heights.get(row.key) ?? row.estimate);
		}
		this.#clean = count;
	}
}

function grow(numbers: Float64Array, atLeast: number): Float64Array<ArrayBuffer> {
	const larger = new Float64Array(Math.max(atLeast, numbers.length * 2));
	larger.set(numbers);
	return larger;
}
