import type { Match } from "../../model/find/find-matches.ts";

const ALL = "found";
const NOW = "found-now";

/** Highlights matches in the drawn rows without changing their elements; returns a function that stops it. */
export function markFound(pattern: RegExp | undefined, now: Match | undefined): () => void {
	const list = document.getElementById("transcript");
	if (pattern === undefined || !list) return () => undefined;
	let frame = 0;
	const draw = (): void => {
		const rows = [...list.querySelectorAll<HTMLElement>("[data-row]")].map((row) => ({
			row,
			found: findRanges(row, pattern),
		}));
		const own = rows.find(({ row }) => row.dataset.row === now?.row)?.found ?? [];
		// The drawn text may have fewer matches than the source, which also contains link addresses.
		const current = own[Math.min(now?.nth ?? 0, own.length - 1)];
		CSS.highlights.set(ALL, new Highlight(...rows.flatMap(({ found }) => found)));
		CSS.highlights.set(NOW, new Highlight(...(current ? [current] : [])));
	};
	const soon = (): void => {
		cancelAnimationFrame(frame);
		frame = requestAnimationFrame(draw);
	};
	const observer = new MutationObserver(soon);
	observer.observe(list, { childList: true, subtree: true, characterData: true });
	soon();
	return () => {
		observer.disconnect();
		cancelAnimationFrame(frame);
		CSS.highlights.delete(ALL);
		CSS.highlights.delete(NOW);
	};
}

function findRanges(row: HTMLElement, pattern: RegExp): readonly Range[] {
	const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
	const ranges: Range[] = [];
	for (let node = texts.nextNode(); node; node = texts.nextNode()) {
		for (const { index, 0: text } of (node.nodeValue ?? "").matchAll(pattern)) {
			const range = new Range();
			range.setStart(node, index);
			range.setEnd(node, index + text.length);
			ranges.push(range);
		}
	}
	return ranges;
}
