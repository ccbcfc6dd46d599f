import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { oneLine } from "../../../agent-host/permissions/words/one-line.ts";

const piece = fc.oneof(
	fc.constantFrom("\n", "\r", "\t", "\u2028", "\u0000", "\uD800", "\\", "\\u", "\\u000a", "\\u005c", "u000a"),
	fc.string({ maxLength: 3 }),
);

test("names stay distinguishable on one line: no two of them read the same", () => {
	fc.assert(
		fc.property(
			fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")),
			(text) => {
				const line = oneLine(text);
				assert.doesNotMatch(line, /[\p{Cc}\p{Cs}\u2028\u2029]/u);
				const back = line.replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) =>
					String.fromCharCode(Number.parseInt(code, 16)),
				);
				assert.equal(back, text);
			},
		),
		{ numRuns: 1_000 },
	);
});
