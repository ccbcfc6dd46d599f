import { clipSpan, type Span } from "./seen-spans.ts";

/** How far the part that scrolls inside a card moves, and the list around it; negative is up. */
export interface Scroll {
	readonly inner: number;
	readonly outer: number;
}

/** What of a card scrolls inside it: where it is in the window, and how many of its pixels are above and below its frame. */
export interface InnerPart {
	readonly span: Span;
	readonly above: number;
	readonly below: number;
}

/** How far a key goes. */
export type Reach = "line" | "page" | "end";

/** As far as an arrow key scrolls anywhere else. */
const LINE_PX = 40;
/** So much of a page is still in view on the next one. */
const KEPT_PX = 40;
/** Layout is not always in whole pixels. */
const TOLERANCE_PX = 1;

/** The next line or page of a card in reading order, or the next end: of what scrolls inside, then of the list. Skips nothing. */
export function planScroll(reach: Reach, by: 1 | -1, view: Span, part: InnerPart | undefined): Scroll {
	if (by === 1) return planDown(reach, view, part);
	const flipped = part && { span: flip(part.span), above: part.below, below: part.above };
	const { inner, outer } = planDown(reach, flip(view), flipped);
	return { inner: -inner, outer: -outer };
}

function planDown(reach: Reach, view: Span, part: InnerPart | undefined): Scroll {
	const most = measureReach(reach, view);
	if (part === undefined || part.below <= TOLERANCE_PX) return { inner: 0, outer: most };
	const { span, below } = part;
	const [overTop, overEnd] = [Math.max(view.from - span.from, 0), span.to - view.to];
	// All of it comes into view before it scrolls, or as much as there is room for.
	const outer = overEnd > 0 ? Math.min(overEnd, most) : Math.max(-overTop, overEnd, -most);
	if (reach === "end") return { inner: below, outer };
	return Math.abs(outer) > TOLERANCE_PX
		? { inner: 0, outer }
		: { inner: measureReach(reach, clipSpan(span, view)), outer: 0 };
}

function measureReach(reach: Reach, { from, to }: Span): number {
	if (reach === "end") return Number.MAX_SAFE_INTEGER;
	if (reach === "line") return LINE_PX;
	return Math.max(to - from - KEPT_PX, (to - from) / 2, 1);
}

function flip({ from, to }: Span): Span {
	return { from: -to, to: -from };
}
