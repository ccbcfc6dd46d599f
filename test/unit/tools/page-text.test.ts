import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readHtml } from "../../../agent-host/tools/page-text.ts";

const BASE = "https://example.org/docs/a.html";
const LONG = "Words that matter. ".repeat(20).trim();

test("a page becomes its main text as Markdown, without scripts and surroundings", () => {
	const html = `<!doctype html><html><head><title>A &amp; B</title><style>p { color: red }</style></head><body>
		<nav><a href="/">Home</a><nav>inner</nav> still navigation</nav>
		<main><h1>Title</h1><p>${LONG}<br>A <a href="../b?x=1&amp;y=2">link</a> &mdash; caf&#233;.</p>
		<ul><li>One</li><li>Two</li></ul><pre>  kept
   as is &lt;T&gt;</pre><script>alert("</main>")</script><!-- <p>not this</p> -->
		<a href="javascript:x">no link</a></main>
		<footer>Imprint</footer></body></html>`;
	const { title, text } = readHtml(html, BASE);
	assert.equal(title, "A & B");
	assert.equal(
		text,
		`# Title\n\n${LONG}\nA [link](https://example.org/b?x=1&y=2) — café.\n\n- One\n- Two\n\n\`\`\`\n  kept\n   as is <T>\n\`\`\`\n\n no link`,
	);
});

test("a page without a main part is read whole, and markup that never ends hides nothing before it", () => {
	assert.equal(readHtml("<p>One<p>Two <b>bold</b> 1 < 2", BASE).text, "One\nTwo bold 1 < 2");
	for (const tail of ["<!-- no end", "<script>no end", '<a href="no end', "<", "<p"]) {
		assert.match(readHtml(`<p>Before</p>${tail}`, BASE).text, /^Before/);
	}
});

test("any text is read without failing, and markup of any depth in one pass", () => {
	fc.assert(fc.property(fc.string({ maxLength: 200, unit: "binary" }), (html) => void readHtml(html, BASE)));
	const parts = fc.constantFrom(
		"<p>",
		"</p>",
		"<!--",
		"-->",
		"<script>",
		"</script>",
		"<nav>",
		"</nav>",
		"<a href='",
		"&#x",
		"x",
	);
	fc.assert(fc.property(fc.array(parts, { maxLength: 50 }), (all) => void readHtml(all.join(""), BASE)));
	for (const piece of ["<!--", "<", "<a href='", "<script>", "</", "<nav>", "&#", "<p ", "<!"]) {
		assert.ok(readHtml(piece.repeat(200_000), BASE).text.length <= 1_000_000);
	}
});
