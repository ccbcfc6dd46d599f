import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { estimateTokens, mostTokens } from "../../../agent-host/history/tokens.ts";
import { growthOf, MOST_GROWTH } from "../../support/linear.ts";

/** Counts of o200k_base, recorded with gpt-tokenizer 4.0.0. */
const CORPUS: Readonly<Record<string, { readonly tokens: number; readonly text: string }>> = JSON.parse(
	readFileSync(join(import.meta.dirname, "token-corpus.json"), "utf8"),
);
const BOUND = 0.15;

for (const [what, { tokens, text }] of Object.entries(CORPUS)) {
	test(`the estimate for ${what} is within ${BOUND * 100} % of a real tokenizer's count`, () => {
		const off = estimateTokens(text) / tokens - 1;
		assert.ok(Math.abs(off) <= BOUND, `${(off * 100).toFixed(1)} %`);
	});
}

test("the estimate for all kinds of text together is within 5 %", () => {
	const all = Object.values(CORPUS);
	const real = all.reduce((sum, { tokens }) => sum + tokens, 0);
	const estimated = all.reduce((sum, { text }) => sum + estimateTokens(text), 0);
	assert.ok(Math.abs(estimated / real - 1) <= 0.05, `${estimated} for ${real}`);
});

test("any text has an estimate, no text has none, and joining texts adds at most a few tokens", () => {
	assert.equal(estimateTokens(""), 0);
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
			const [apart, together] = [estimateTokens(a) + estimateTokens(b), estimateTokens(a + b)];
			assert.ok(Number.isInteger(together) && together >= 0 && together <= apart + 3);
		}),
	);
});

test("no text has more tokens than the most for its length", () => {
	const pieces = fc.array(fc.constantFrom(" ", "1", "\t", "{", "}", "-", "\n", "a", "Z", "世", "\u0300", "👍"));
	fc.assert(
		fc.property(
			fc.oneof(
				fc.string({ unit: "binary" }),
				pieces.map((parts) => parts.join("")),
			),
			(text) => {
				assert.ok(estimateTokens(text) <= mostTokens(text.length), JSON.stringify(text));
			},
		),
		{ numRuns: 2_000 },
	);
	assert.ok(estimateTokens(" 1".repeat(400)) > 800, "one for each character would be too few");
});

test("text made to be slow is estimated in linear time", () => {
	for (const unit of ["a/", "aB1-", " ", "世", "-=", "\ud800", "a", "é "]) {
		const growth = growthOf((chars) => unit.repeat(chars / unit.length), estimateTokens);
		assert.ok(growth < MOST_GROWTH, `${JSON.stringify(unit)}: ${growth.toFixed(1)} times as long`);
	}
});
