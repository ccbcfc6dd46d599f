import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setLanguage } from "../../l10n/t.ts";

const BUNDLE = join(import.meta.dirname, "..", "..", "l10n", "bundle.l10n.de.json");

/** Words that no German sentence has, among those that hardly an English one does without. */
const ENGLISH =
	/\b(?:the|is|are|were|and|with|without|cannot|can't|needs?|runs?|files?|commands?|this|that|every|not|of|to|for|which|your?)\b/gi;

/** From now on everything is said in German, as in an editor that speaks it. */
export function speakGerman(): void {
	setLanguage("de", JSON.parse(readFileSync(BUNDLE, "utf8")));
}

/** English words in a text that should be German. */
export function findEnglish(text: string): readonly string[] {
	return text.match(ENGLISH) ?? [];
}
