import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPage } from "../../../../extension/panel/page.ts";

test("the page may run one script, by its nonce, and load styles and font of its own only", () => {
	const html = renderPage({
		view: "v",
		title: "T",
		language: "de",
		words: { "<a & b>": '"<script>' },
		nonce: "abc",
		cspSource: "https://own.invalid",
		script: "s.js",
		styles: ["a.css"],
	});
	const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1];
	assert.equal(
		policy,
		"default-src 'none'; script-src 'nonce-abc'; style-src https://own.invalid; font-src https://own.invalid; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
	);
	assert.equal(html.match(/<script/g)?.length, 1);
	assert.match(
		html,
		/<html lang="de">[\s\S]*data-words="{&quot;&lt;a &amp; b>&quot;:&quot;\\&quot;&lt;script>&quot;}"/,
	);
});
