import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { Drawn } from "./drawn.ts";
import { DrawnEmitter } from "./drawn-emitter.ts";

/** Languages with highlighting, including their aliases, such as `ts` or `sh`. */
const LANGUAGES = {
	bash,
	c,
	cpp,
	css,
	diff,
	go,
	java,
	javascript,
	json,
	markdown,
	python,
	rust,
	sql,
	typescript,
	xml,
	yaml,
};

const HIGHLIGHTER = createHighlighter();

/** Code in pieces with the class of their colour; undefined if the language is unknown. */
export function colourCode(code: string, language: string): readonly Drawn[] | undefined {
	if (!HIGHLIGHTER.getLanguage(language)) return undefined;
	const { _emitter: emitter, errorRaised } = HIGHLIGHTER.highlight(code, { language, ignoreIllegals: true });
	return emitter instanceof DrawnEmitter && !errorRaised ? emitter.root : undefined;
}

function createHighlighter(): typeof hljs {
	const highlighter = hljs.newInstance();
	highlighter.configure({ __emitter: DrawnEmitter });
	for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);
	return highlighter;
}
