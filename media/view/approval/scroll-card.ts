import { planScroll, type Reach } from "../../model/approval/plan-scroll.ts";
import { clipSpan, type Span } from "../../model/approval/seen-spans.ts";
import { keyName } from "../parts/key-name.ts";
import { stopEvent } from "./use-guard.ts";
import { measureSpan } from "./use-sight.ts";

const KEYS: Readonly<Record<string, readonly [Reach, 1 | -1]>> = {
	ArrowDown: ["line", 1],
	ArrowUp: ["line", -1],
	PageDown: ["page", 1],
	PageUp: ["page", -1],
	End: ["end", 1],
	Home: ["end", -1],
};

/** Keys that go through all of the shown approval, wherever on it the focus is. */
export function scrollWithKeys(event: KeyboardEvent & { readonly currentTarget: Element }): void {
	const key = KEYS[keyName(event)];
	const card = event.currentTarget.querySelector(".approval");
	if (key === undefined || card === null || event.target instanceof HTMLTextAreaElement) return;
	stopEvent(event);
	const [part, list, dock] = [card.querySelector(".long-part"), card.closest(".approvals"), card.closest(".dock")];
	const [reach, by] = key;
	const { inner, outer } = planScroll(reach, by, findView(card, [list, dock]), part ? measure(part) : undefined);
	part?.scrollBy(0, inner);
	const frames = [list, dock].filter((frame) => frame !== null);
	let left = outer;
	for (const frame of outer > 0 ? frames : frames.reverse()) left -= scroll(frame, left);
}

/** Where lines of the card can be seen: the buttons that stay in view cover what is behind them. */
function findView(card: Element, frames: readonly (Element | null)[]): Span {
	const answers = card.querySelector(".answers");
	const covered = answers && getComputedStyle(answers).position === "sticky" ? measureSpan(answers).from : Infinity;
	const spans = [...frames, document.documentElement].flatMap((frame) => (frame ? [measureSpan(frame)] : []));
	return spans.reduce(clipSpan, { from: -Infinity, to: covered });
}

function measure(part: Element) {
	const { scrollTop, scrollHeight, clientHeight } = part;
	return { span: measureSpan(part), above: scrollTop, below: scrollHeight - clientHeight - scrollTop };
}

/** Returns how far it moved. */
function scroll(frame: Element, by: number): number {
	const before = frame.scrollTop;
	frame.scrollBy(0, by);
	return frame.scrollTop - before;
}
