import { Component, type ComponentChildren, createRef } from "preact";
import { findNextStop, type ScrollTarget } from "../../../model/thread/next-stop.ts";
import type { Row } from "../../../model/thread/rows.ts";
import { ListModel, type Range } from "./list-model.ts";
import { PINNED_PX } from "./pinned-prompt.tsx";
import { ScrollKeeper } from "./scroll-keeper.ts";

interface Props {
	readonly label: string;
	readonly rows: readonly Row[];
	readonly drawRow: (row: Row) => ComponentChildren;
	/** A new value scrolls the list there. */
	readonly move: ScrollTarget | undefined;
	/** Called when the reader leaves or reaches the end. */
	readonly onAtEnd: (isAtEnd: boolean) => void;
	/** Key of the row that is shown at the top of the view while it is above it. */
	readonly pinned: string | undefined;
	/** Called when that row leaves the view upwards, or comes back. */
	readonly onPinnedAbove: (isAbove: boolean) => void;
}

const NO_RANGE: Range = { first: 0, end: 0 };

/** A list that draws only the rows near the view and keeps the reader's position. */
export class VirtualList extends Component<Props> {
	readonly #scroller = createRef<HTMLDivElement>();
	readonly #above = createRef<HTMLDivElement>();
	readonly #rows = createRef<HTMLDivElement>();
	readonly #below = createRef<HTMLDivElement>();
	readonly #model = new ListModel();
	#known: readonly Row[] = [];
	#drawn = NO_RANGE;
	#isAtEnd = true;
	#isPinnedAbove = false;
	/** What takes the focus once it is drawn: a row, or an element in it. */
	#focus: { readonly key: string | undefined; readonly selector?: string; readonly nth?: number } = { key: undefined };
	#keeper: ScrollKeeper | undefined;
	#observer: ResizeObserver | undefined;

	override componentDidMount(): void {
		const [scroller, above, rows, below] = [this.#scroller, this.#above, this.#rows, this.#below].map(
			({ current }) => current,
		);
		if (!scroller || !above || !rows || !below) return;
		this.#keeper = new ScrollKeeper({ scroller, above, rows, below }, this.#model);
		this.#observer = new ResizeObserver(() => {
			this.#keeper?.noticeLateScroll();
			this.#keeper?.restore(this.#drawn);
			// Drawing here would change sizes again, which browsers report as an endless loop.
			requestAnimationFrame(() => this.#drawIfMoved());
		});
		this.#observer.observe(scroller);
		this.#observer.observe(rows);
		this.#settle();
	}

	override componentWillUnmount(): void {
		this.#observer?.disconnect();
	}

	override getSnapshotBeforeUpdate(): null {
		this.#keeper?.noticeScroll();
		return null;
	}

	override componentDidUpdate({ move }: Props): void {
		if (move !== this.props.move && this.props.move) this.#move(this.props.move);
		this.#settle();
		this.#focusIfDrawn();
	}

	override render({ label, rows, drawRow }: Props): ComponentChildren {
		if (rows !== this.#known) this.#model.setRows(rows);
		this.#known = rows;
		this.#drawn = this.#keeper?.range() ?? NO_RANGE;
		return (
			<div
				id="transcript"
				ref={this.#scroller}
				role="log"
				aria-live="off"
				aria-label={label}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
				tabIndex={0}
				onScroll={this.#onScroll}
				onScrollEnd={this.#onScrollEnd}
				onKeyDown={this.#onKeyDown}
				onClickCapture={this.#onClick}
			>
				<div ref={this.#above} />
				<div ref={this.#rows}>{this.#model.rows.slice(this.#drawn.first, this.#drawn.end).map(drawRow)}</div>
				<div ref={this.#below} />
			</div>
		);
	}

	readonly #onScroll = (): void => {
		this.#keeper?.noticeScroll();
		this.#drawIfMoved();
	};

	readonly #onScrollEnd = (): void => {
		this.#keeper?.noticeScroll();
		this.#keeper?.endScroll();
		this.#settle();
	};

	/** Home and End: the browser would scroll to the estimated ends, while rows on the way turn out taller. */
	readonly #onKeyDown = (event: KeyboardEvent): void => {
		if (event.target !== event.currentTarget || (event.key !== "Home" && event.key !== "End")) return;
		event.preventDefault();
		if (event.key === "Home") this.#keeper?.goToStart();
		else this.#keeper?.goToEnd();
		this.#settle();
	};

	/** What opens or closes under the pointer must stay under it. */
	readonly #onClick = ({ target }: Event): void => {
		const row = target instanceof Element ? target.closest("[aria-expanded]")?.closest("[data-row]") : null;
		if (row instanceof HTMLElement) this.#keeper?.hold(row);
	};

	#move(move: ScrollTarget): void {
		switch (move.to) {
			case "end":
				this.#keeper?.goToEnd();
				break;
			case "row":
				this.#goTo(move.key, move.stays ? this.#findRow(move.key) : undefined);
				if (move.focus) this.#focus = { key: move.key, ...move.focus };
				break;
			case "prompt":
			case "code":
				this.#focus = { key: findNextStop(this.#model.rows, this.#readerIndex(), move) };
				if (this.#focus.key !== undefined)
					this.#keeper?.goTo(this.#focus.key, "at the top", this.#insetOf(this.#focus.key));
		}
	}

	#goTo(key: string, stays: HTMLElement | undefined): void {
		if (stays === undefined) this.#keeper?.goTo(key, "a third down");
		else this.#keeper?.hold(stays);
	}

	#findRow(key: string): HTMLElement | undefined {
		return this.#rows.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`) ?? undefined;
	}

	/** Room at the top that the pinned row takes from the rows after it. */
	#insetOf(key: string): number {
		const { pinned } = this.props;
		const [own, other] = [pinned && this.#model.indexOf(pinned), this.#model.indexOf(key)];
		return typeof own === "number" && other !== undefined && other > own ? PINNED_PX : 0;
	}

	#readPinnedAbove(): boolean {
		const { pinned } = this.props;
		const index = pinned === undefined ? undefined : this.#model.indexOf(pinned);
		if (pinned === undefined || index === undefined) return false;
		const row = this.#rows.current?.children[index - this.#drawn.first];
		if (!row || !this.#scroller.current) return index < this.#drawn.first;
		return row.getBoundingClientRect().bottom <= this.#scroller.current.getBoundingClientRect().top;
	}

	/** Index of the focused row, else of the row at the top of the view. */
	#readerIndex(): number {
		const focused = document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset.row;
		const index = focused === undefined ? undefined : this.#model.indexOf(focused);
		return index ?? this.#keeper?.topIndex() ?? 0;
	}

	#focusIfDrawn(): void {
		const { key, selector, nth = 0 } = this.#focus;
		const row = key && this.#findRow(key);
		if (!row) return;
		this.#focus = { key: undefined };
		const target = selector === undefined ? row : row.querySelectorAll<HTMLElement>(selector)[nth];
		target?.focus({ preventScroll: true });
	}

	#settle(): void {
		this.#keeper?.restore(this.#drawn);
		this.#drawIfMoved();
	}

	#drawIfMoved(): void {
		if (!this.#keeper) return;
		const { first, end } = this.#keeper.range();
		if (first !== this.#drawn.first || end !== this.#drawn.end) this.setState({});
		const isPinnedAbove = this.#readPinnedAbove();
		if (this.#isPinnedAbove !== isPinnedAbove) this.props.onPinnedAbove(isPinnedAbove);
		this.#isPinnedAbove = isPinnedAbove;
		if (this.#isAtEnd === this.#keeper.isAtEnd) return;
		this.#isAtEnd = this.#keeper.isAtEnd;
		this.props.onAtEnd(this.#isAtEnd);
	}
}
