import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { apportionTokens } from "../../../agent-host/session/inspect/apportion-tokens.ts";

test("scaled estimates add up to the total, keep their order of size and never fall below zero", () => {
	const counts = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 50 }).filter((all) => all.some((one) => one > 0));
	fc.assert(
		fc.property(counts, fc.nat(1_000_000), (tokens, total) => {
			const given = apportionTokens(
				tokens.map((count) => ({ tokens: count })),
				total,
			);
			assert.equal(
				given.reduce((sum, one) => sum + one.tokens, 0),
				total,
			);
			assert.ok(given.every((one, index) => one.tokens >= 0 && (tokens[index] !== 0 || one.tokens === 0)));
		}),
	);
});
