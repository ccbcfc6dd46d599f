import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const DIST = process.env.VITRINE_PAGE_DIST ?? join(ROOT, "media/dist");

/** Ways from a text to elements or to code. */
const SINKS = [
	"innerHTML",
	"outerHTML",
	"insertAdjacentHTML",
	"dangerouslySetInnerHTML",
	"createContextualFragment",
	"parseFromString",
	"setHTMLUnsafe",
	"srcdoc",
	"document.write",
	"new Function",
	"Function(",
	"eval(",
	"importScripts",
	"new Worker",
	"createObjectURL",
	"window.open",
	"location=",
	"location.href",
	"fetch(",
	"XMLHttpRequest",
	"WebSocket",
	"EventSource",
	"sendBeacon",
];

/** Names inside a library that lead to one of them. */
const DETOURS = ["highlightElement", "highlightAll", "highlightBlock", ".renderer", "hydrate("];

function countWords(text: string, words: readonly string[]): Record<string, number> {
	const counts = words.map((sink) => [sink, text.split(sink).length - 1] as const);
	return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

test("the page's own code has no way from text to elements or code, and none to the network", () => {
	const files = globSync("media/**/*.{ts,tsx}", { cwd: ROOT }).sort();
	const found = files.map(
		(file) => [file, countWords(readFileSync(join(ROOT, file), "utf8"), [...SINKS, ...DETOURS])] as const,
	);
	assert.ok(files.length > 30);
	assert.deepEqual(
		found.filter(([, sinks]) => Object.keys(sinks).length > 0),
		[],
	);
});

/**
 * What the libraries bring along, and why it cannot be reached. Preact reads `dangerouslySetInnerHTML` among the
 * properties of an element (2), compares with `innerHTML` and sets it (2) only for an element that has that property;
 * ours are made with names written in our sources, none of which is that one. `highlight.js` reads and sets
 * `innerHTML` (2) in `highlightElement`, which wants an element of a page and is never called: we call `highlight`.
 * The parser of formulas calls its own `fetch` for the next token and its own `parseFunction` and the like.
 * The tests of the whole page note every use of these, and its policy there refuses them.
 */
const OF_LIBRARIES = {
	"panel.js": { innerHTML: 2, dangerouslySetInnerHTML: 2 },
	"languages.js": { innerHTML: 2 },
	"diagrams.js": {},
	"math.js": { "Function(": 16, "fetch(": 34 },
};

test("the built page has no further such way except the known ones of its libraries", () => {
	const found = Object.keys(OF_LIBRARIES).map(
		(file) => [file, countWords(readFileSync(join(DIST, file), "utf8"), SINKS)] as const,
	);
	assert.deepEqual(Object.fromEntries(found), OF_LIBRARIES);
});
