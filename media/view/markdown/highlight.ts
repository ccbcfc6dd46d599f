import type { ComponentChildren } from "preact";
import { countLines } from "../../model/words/text.ts";
import { HIGHLIGHTER } from "./languages.ts";
import { VNodeEmitter } from "./vnode-emitter.ts";

/** Above either limit code is not highlighted: that would take longer than a frame and create thousands of elements. */
export const MAX_HIGHLIGHTED_CHARS = 20_000;
export const MAX_HIGHLIGHTED_LINES = 400;

/** Highlighted code; plain if the language is unknown or the code too long. */
export function highlight(code: string, language: string): ComponentChildren {
	if (!HIGHLIGHTER.getLanguage(language)) return code;
	if (code.length > MAX_HIGHLIGHTED_CHARS || countLines(code) > MAX_HIGHLIGHTED_LINES) return code;
	const { _emitter: emitter, errorRaised } = HIGHLIGHTER.highlight(code, { language, ignoreIllegals: true });
	return emitter instanceof VNodeEmitter && !errorRaised ? emitter.root : code;
}
