import type { Frame } from "playwright-core";

declare global {
	interface Window {
		/** What was noted, by selector. */
		noted?: Map<string, string[]>;
	}
}

/**
 * Notes what elements say from now on, also those that go again, such as a notification or a step that is folded away. Gives
 * what was noted so far.
 */
export async function noteTexts(frame: Frame, selector: string): Promise<() => Promise<readonly string[]>> {
	await frame.evaluate((sought) => {
		const texts: string[] = [];
		const note = (): void => {
			for (const { innerText } of document.querySelectorAll<HTMLElement>(sought)) {
				if (!texts.includes(innerText)) texts.push(innerText);
			}
		};
		const changes = { subtree: true, childList: true, characterData: true };
		new MutationObserver(note).observe(document.body, changes);
		window.noted = new Map(window.noted).set(sought, texts);
	}, selector);
	return () => frame.evaluate((sought) => window.noted?.get(sought) ?? [], selector);
}
