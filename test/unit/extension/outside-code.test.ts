import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { PROTECTED_NAMES } from "../../../agent-host/permissions/policy/protected-names.ts";
import { isSensitive } from "../../../extension/panel/open/sensitive.ts";
import { fenced } from "../../../extension/review/fence.ts";

test("nothing in a fenced text ends the block, so that no link or image of it is drawn", () => {
	const line = fc.oneof(
		fc.constantFrom("```", "  ````", "~~~", "   `````js", "![](https://evil.example/x.png)", "\r", "a\u2028```"),
		fc.string({ maxLength: 20 }),
	);
	fc.assert(
		fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom("ts", "x\n![](y)", "```"), (lines, language) => {
			const tokens = new MarkdownIt().parse(`Before:${fenced(lines.join("\n"), language)}`, {});
			const kinds = tokens.map(({ type }) => type);
			assert.deepEqual(kinds, ["paragraph_open", "inline", "paragraph_close", "fence"]);
			assert.deepEqual(
				tokens[1]?.children?.map(({ type }) => type),
				["text"],
			);
		}),
	);
});

test("code of an answer is put into no protected name without a question, however it is written", () => {
	for (const name of PROTECTED_NAMES) {
		const plain = name.replaceAll("*", "x");
		for (const path of [plain, `a/b/${plain}/c.json`, plain.toUpperCase(), `${plain[0]}\u200D${plain.slice(1)}`])
			assert.equal(isSensitive(path), true, path);
	}
	for (const path of ["src/a.ts", "./src/../b.ts", "docs/agents-of-change.txt", "a..b/c"])
		assert.equal(isSensitive(path), false, path);
});
