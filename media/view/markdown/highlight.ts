import type { ComponentChildren } from "preact";
import { countLines } from "../../model/words/text.ts";
import { LaterPart } from "./later-part.ts";
import { toElement } from "./to-element.ts";

/** Above either limit code is not highlighted: that would take longer than a frame and create thousands of elements. */
export const MAX_HIGHLIGHTED_CHARS = 20_000;
export const MAX_HIGHLIGHTED_LINES = 400;

const LANGUAGES = new LaterPart(() => import("../../later/languages.ts"));

/** Highlighted code; plain if the language is unknown or the code too long, and until the languages have been read. */
export function highlight(code: string, language: string): ComponentChildren {
	if (language === "" || code.length > MAX_HIGHLIGHTED_CHARS || countLines(code) > MAX_HIGHLIGHTED_LINES) return code;
	return LANGUAGES.value?.colourCode(code, language)?.map(toElement) ?? code;
}
