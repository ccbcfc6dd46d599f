import { type Bundle, setLanguage } from "../../l10n/t.ts";

/** Takes the language that the extension wrote into the page. */
export function setPageLanguage(): void {
	const { words } = document.body.dataset;
	// The extension wrote it, from a file of its own.
	setLanguage(document.documentElement.lang, words ? (JSON.parse(words) as Bundle) : undefined);
}
