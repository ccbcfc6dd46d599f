import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CompactionReport } from "../../../../agent-host/protocol/thread/compaction.ts";
import { readEditedSummary, renderPreview } from "../../../../extension/views/context/compaction-words.ts";

function aReport(change: Partial<CompactionReport> = {}): CompactionReport {
	return {
		strategy: "structured",
		turns: 9,
		before: 61_300,
		after: 4_000,
		verbatim: [{ text: "make the test\ndeterministic", tokens: 12, cut: true }],
		dropped: [
			{ kind: "toolOutput", count: 14, tokens: 50_000 },
			{ kind: "user-instructions", count: 2, tokens: 1 },
		],
		summary: "- done\nRESUME_AT: run the tests",
		repaired: 0,
		...change,
	};
}

test("the page lists what is replaced, kept and dropped, and then the summary", () => {
	const page = renderPreview(aReport());
	assert.match(page, /9 turns: about 61,300 tokens → 4,000 tokens/);
	assert.match(page, /- make the test deterministic \(12 tokens, in part\)/);
	assert.match(page, /- 14 tool results \(50,000 tokens\)\n- user instructions \(1 token\)/);
	assert.match(page, /-->\n\n- done\nRESUME_AT: run the tests$/);
});

test("an unedited summary stays the model's own, and an edited one is read from the page", () => {
	const text = fc.string({ unit: "grapheme" });
	fc.assert(
		fc.property(text, text, text, (quoted, summary, added) => {
			const report = aReport({ summary, verbatim: [{ text: `${quoted}-->`, tokens: 1 }] });
			const page = renderPreview(report);
			assert.equal(readEditedSummary(page, report), undefined);
			assert.equal(readEditedSummary(page.replaceAll("\n", "\r\n"), report), undefined);
			assert.equal(readEditedSummary(`${page}\nand ${added}!`, report), `${summary}\nand ${added}!`.trim());
		}),
	);
});

test("without the explanation above it, the whole page is the summary; an empty page is none", () => {
	const report = aReport();
	assert.equal(readEditedSummary("Only this.", report), "Only this.");
	assert.equal(readEditedSummary("", report), undefined);
});
