/** A vertical range in pixels. */
export interface Span {
	readonly from: number;
	readonly to: number;
}

/** Layout is not always in whole pixels. */
const TOLERANCE_PX = 2;

/** Adds a span to spans that are sorted and do not touch. */
export function addSpan(seen: readonly Span[], span: Span): readonly Span[] {
	if (span.to <= span.from) return seen;
	const apart = seen.filter(({ from, to }) => to < span.from - TOLERANCE_PX || from > span.to + TOLERANCE_PX);
	const joined = seen.filter((other) => !apart.includes(other));
	const from = Math.min(span.from, ...joined.map((other) => other.from));
	const to = Math.max(span.to, ...joined.map((other) => other.to));
	return [...apart, { from, to }].sort((a, b) => a.from - b.from);
}

/** Whether everything from 0 to `height` has been seen. */
export function isCovered(seen: readonly Span[], height: number): boolean {
	return height <= 0 || seen.some(({ from, to }) => from <= TOLERANCE_PX && to >= height - TOLERANCE_PX);
}

/** The part of a span that another one leaves visible. */
export function clipSpan(span: Span, by: Span): Span {
	return { from: Math.max(span.from, by.from), to: Math.min(span.to, by.to) };
}
