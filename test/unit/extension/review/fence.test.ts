import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { fence } from "../../../../extension/review/fence.ts";

test("nothing in a fenced text ends the block, so that no link or image of it is drawn", () => {
	const line = fc.oneof(
		fc.constantFrom("```", "  ````", "~~~", "   `````js", "![](https://evil.example/x.png)", "\r", "a\u2028```"),
		fc.string({ maxLength: 20 }),
	);
	fc.assert(
		fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom("ts", "x\n![](y)", "```"), (lines, language) => {
			const tokens = new MarkdownIt().parse(`Before:${fence(lines.join("\n"), language)}`, {});
			const kinds = tokens.map(({ type }) => type);
			assert.deepEqual(kinds, ["paragraph_open", "inline", "paragraph_close", "fence"]);
			assert.deepEqual(
				tokens[1]?.children?.map(({ type }) => type),
				["text"],
			);
		}),
	);
});
