import { type Bundle, setLanguage } from "../../l10n/t.ts";

/** Sets the language that the extension wrote into the page's HTML. */
export function setPageLanguage(): void {
	const { words } = document.body.dataset;
	// Trusted: the extension wrote it from one of its own bundles.
	setLanguage(document.documentElement.lang, words ? (JSON.parse(words) as Bundle) : undefined);
}
