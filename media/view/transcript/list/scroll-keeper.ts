import { findStepsAround } from "../../../model/thread/steps.ts";
import type { Anchor, ListModel, Range } from "./list-model.ts";

/** Within this distance the reader counts as being at the end; zoomed displays rarely scroll to the exact end. */
const END_SLACK_PX = 2;
/** Smaller differences are rounding, not scrolling. */
const ROUNDING_PX = 0.25;
/** Rows are drawn this many view heights beyond the visible part, so that scrolling does not show empty space. */
const OVERSCAN_VIEWS = 1;

interface Elements {
	readonly scroller: HTMLElement;
	/** Empty space in place of the rows above and below that are not drawn. */
	readonly above: HTMLElement;
	readonly rows: HTMLElement;
	readonly below: HTMLElement;
}

/**
 * Keeps the reader's position. At the end it follows the end; elsewhere the first visible row stays where it is,
 * whatever is measured, added or resized. The browser's own scroll anchoring is off: it fails whenever rows are
 * replaced by empty space.
 */
export class ScrollKeeper {
	readonly #elements: Elements;
	readonly #model: ListModel;
	/** Undefined if the reader is at the end. */
	#anchor: Anchor | undefined;
	#lastTop = 0;
	#isScrolling = false;
	#viewHeight: number;
	/** Number of pixels by which the space above exceeds the model's value. */
	#drift = 0;

	constructor(elements: Elements, model: ListModel) {
		this.#elements = elements;
		this.#model = model;
		this.#viewHeight = elements.scroller.clientHeight;
	}

	get isAtEnd(): boolean {
		return this.#anchor === undefined;
	}

	goToEnd(): void {
		this.#setAnchor(undefined);
	}

	goToStart(): void {
		const [first] = this.#model.rows;
		if (first) this.#setAnchor({ key: first.key, top: 0 });
	}

	/** `inset`: room at the top that something else takes. */
	goTo(key: string, place: "at the top" | "a third down", inset = 0): void {
		if (this.#model.reveal(key) === undefined) return;
		this.#setAnchor({ key, top: place === "at the top" ? inset : this.#viewHeight / 3 });
	}

	/** Index of the row at the top of the view; at the end, one past the last row. */
	topIndex(): number {
		if (!this.#anchor) return this.#model.rows.length;
		return this.#model.indexOf(this.#anchor.key) ?? 0;
	}

	/** Called when the reader's scrolling has ended, so that the page may scroll again. */
	endScroll(): void {
		this.#isScrolling = false;
	}

	/** Keeps this row in place from now on, for example because the reader is about to open it. */
	hold(row: HTMLElement): void {
		this.#setAnchor({ key: readKey(row), top: this.#measureTop(row) });
	}

	range(): Range {
		const view = this.#viewHeight;
		const overscan = view * OVERSCAN_VIEWS;
		if (this.#anchor && this.#model.indexOf(this.#anchor.key) === undefined)
			this.#anchor = this.#anchorInstead(this.#anchor);
		if (!this.#anchor) return this.#model.rangeAtEnd(view + overscan);
		return this.#model.rangeAround(this.#anchor, overscan, view + overscan);
	}

	/** Must run before the rows change: afterwards scrolling cannot be told from moved rows. */
	noticeScroll(): void {
		const moved = this.#elements.scroller.scrollTop - this.#lastTop;
		if (Math.abs(moved) < ROUNDING_PX) return;
		this.#lastTop += moved;
		// A view that has grown, as after an approval, shows more above; rows may have changed since.
		if (this.isAtEnd && moved < 0 && this.#elements.scroller.clientHeight > this.#viewHeight) return;
		this.#isScrolling = true;
		// Upwards, any distance counts, except that a browser with less to scroll moves up to the new end.
		if (this.#distanceToEnd() <= (moved < 0 ? ROUNDING_PX : END_SLACK_PX)) this.#anchor = undefined;
		else if (moved < 0 || this.#anchor) this.#anchor = this.#firstVisible() ?? this.#anchorByModel();
	}

	/** For when rows may have been resized: moves the anchor by scrolling that was not reported yet. */
	noticeLateScroll(): void {
		const moved = this.#elements.scroller.scrollTop - this.#lastTop;
		if (Math.abs(moved) < ROUNDING_PX || this.#distanceToEnd() <= ROUNDING_PX) return;
		const { key, top } = this.#anchor ?? {};
		this.noticeScroll();
		if (key !== undefined && top !== undefined) this.#anchor = { key, top: top - moved };
	}

	/** Must run after the rows changed. `drawn` is their range. */
	restore(drawn: Range): void {
		const { scroller, rows, above, below } = this.#elements;
		this.#viewHeight = scroller.clientHeight;
		for (const row of listChildren(rows)) this.#model.setHeight(readKey(row), row.getBoundingClientRect().height);
		if (!this.#anchor) this.#drift = 0;
		const space = this.#model.offsetAt(drawn.first);
		setHeight(above, space + this.#drift);
		setHeight(below, this.#model.total - this.#model.offsetAt(drawn.end));
		if (this.#anchor) this.#putBack(this.#anchor, space);
		else scroller.scrollTop = scroller.scrollHeight;
		this.#lastTop = scroller.scrollTop;
	}

	/** Sets the position by decision of the page, even while the reader is scrolling. */
	#setAnchor(anchor: Anchor | undefined): void {
		this.#anchor = anchor;
		this.#isScrolling = false;
	}

	/** Moves the anchor back into place, by scrolling or by resizing the space above. */
	#putBack(anchor: Anchor, space: number): void {
		const { scroller, rows, above } = this.#elements;
		const row = listChildren(rows).find((child) => readKey(child) === anchor.key);
		if (!row) return;
		const error = this.#measureTop(row) - anchor.top;
		// Scrolling by script would stop the reader's scrolling, so until it ends the space above is resized.
		const height = this.#isScrolling ? Math.max(0, above.getBoundingClientRect().height - error) : space;
		setHeight(above, height);
		this.#drift = height - space;
		const rest = this.#measureTop(row) - anchor.top;
		if (Math.abs(rest) >= 0.5) scroller.scrollTop += rest;
		if (!this.#isScrolling && this.#distanceToEnd() <= END_SLACK_PX) this.#anchor = undefined;
	}

	/** Replacement for a row that is gone: the line that it was folded into, else the row that is there now. */
	#anchorInstead({ key, top }: Anchor): Anchor | undefined {
		const line = findStepsAround(this.#model.rows, key);
		return line ? { key: line.key, top: Math.max(0, top) } : this.#anchorByModel();
	}

	#anchorByModel(): Anchor | undefined {
		return this.#model.anchorAt(this.#lastTop - this.#drift);
	}

	#firstVisible(): Anchor | undefined {
		const { scroller, rows } = this.#elements;
		const view = scroller.getBoundingClientRect();
		const row = listChildren(rows).find((child) => child.getBoundingClientRect().bottom > view.top + 1);
		if (!row || row.getBoundingClientRect().top > view.bottom) return undefined;
		const isGapAbove = row === rows.firstElementChild && this.#measureTop(row) > 0;
		return isGapAbove ? undefined : { key: readKey(row), top: this.#measureTop(row) };
	}

	#measureTop(row: HTMLElement): number {
		return row.getBoundingClientRect().top - this.#elements.scroller.getBoundingClientRect().top;
	}

	#distanceToEnd(): number {
		const { scrollHeight, clientHeight, scrollTop } = this.#elements.scroller;
		return scrollHeight - clientHeight - scrollTop;
	}
}

function listChildren(rows: HTMLElement): HTMLElement[] {
	return Array.from(rows.children).filter((child) => child instanceof HTMLElement);
}

function readKey(row: HTMLElement): string {
	return row.dataset.row ?? "";
}

function setHeight(space: HTMLElement, height: number): void {
	space.style.height = `${Math.max(0, height)}px`;
}
