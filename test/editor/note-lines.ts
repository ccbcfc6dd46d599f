import type { Frame } from "playwright-core";

declare global {
	interface Window {
		/** By the name of the file that a command makes: the lines that it has, and those that were on top. */
		notedLines: Map<string, { lines: number; readonly seen: Set<number> }>;
	}
}

/**
 * Notes at each frame which lines of the shown command are on top. It asks the browser what is at points of the window,
 * and nothing of the page's own bookkeeping. Asked again, it begins anew.
 */
export async function noteLines(frame: Frame): Promise<void> {
	await frame.evaluate(() => {
		const isNoting = "notedLines" in window;
		window.notedLines = new Map();
		if (isNoting) return;
		const look = (): void => {
			requestAnimationFrame(look);
			const part = document.querySelector("[data-approval] .long-part");
			const name = /touch (\S+?\.made)/.exec(part?.textContent ?? "")?.[1];
			const text = part?.querySelector("pre");
			if (!part || !text || name === undefined) return;
			const lineHeight = Number.parseFloat(getComputedStyle(text).lineHeight);
			const lines = Math.round(text.getBoundingClientRect().height / lineHeight);
			const noted = window.notedLines.get(name) ?? { lines, seen: new Set<number>() };
			// Another width breaks the lines elsewhere.
			if (noted.lines !== lines) noted.seen.clear();
			window.notedLines.set(name, Object.assign(noted, { lines }));
			const { left, width, top } = text.getBoundingClientRect();
			for (let line = 0; line < lines; line++) {
				const y = top + (line + 0.5) * lineHeight;
				const found = document.elementFromPoint(left + Math.min(width / 2, 20), y);
				if (found?.closest(".long-part") === part) noted.seen.add(line);
			}
		};
		look();
	});
}

/** How many lines of each command were never on top. */
export function takeUnseen(frame: Frame): Promise<Readonly<Record<string, number>>> {
	return frame.evaluate(() =>
		Object.fromEntries([...window.notedLines].map(([name, { lines, seen }]) => [name, lines - seen.size])),
	);
}
