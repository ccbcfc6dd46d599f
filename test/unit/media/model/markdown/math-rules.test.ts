import assert from "node:assert/strict";
import { test } from "node:test";
import type { Token } from "markdown-it";
import { parseMarkdown } from "../../../../../media/model/markdown/markdown-parser.ts";

/** The formulas of a text, with their marks. */
function formulas(source: string): readonly string[] {
	const all = (tokens: readonly Token[]): readonly Token[] =>
		tokens.flatMap((token) => [token, ...all(token.children ?? [])]);
	return all(parseMarkdown(source, {}))
		.filter(({ type }) => type.startsWith("math_"))
		.map(({ markup, content }) => `${markup} ${content.trim()}`);
}

const FORMULAS: Readonly<Record<string, readonly string[]>> = {
	"The area is $\\pi r^2$.": ["$ \\pi r^2"],
	"($x$, $y$)": ["$ x", "$ y"],
	"Either \\(a_1\\) or $$b_2$$ here": ["\\( a_1", "$$ b_2"],
	"So:\n$$\na = b_1 * c * d\n$$\nand on": ["$$ a = b_1 * c * d"],
	"$$ \\begin{aligned}\na &= b \\\\\n- c\n\\end{aligned} $$": ["$$ \\begin{aligned}\na &= b \\\\\n- c\n\\end{aligned}"],
	"\\[\nx\n\\]": ["\\[ x"],
	"- a list:\n  $$\n  x\n  $$": ["$$ x"],
	"> $$\n> x\n> $$": ["$$ x"],
	"$2 + 2$ is $4$": ["$ 2 + 2", "$ 4"],
};

for (const [source, found] of Object.entries(FORMULAS)) {
	test(`formulas are found in ${JSON.stringify(source)}`, () => assert.deepEqual(formulas(source), found));
}

for (const source of [
	"It costs $5 or $10.",
	"from $5/month to $10/month",
	"I paid $5 (or 4$).",
	"US$5 and CA$6",
	"echo $HOME/$USER and $PATH",
	"foo($a, $b)",
	"`$x$` and ``$$y$$``",
	"```\n$$\nx\n$$\n```",
	"    $$\n    x\n    $$",
	"$$ is the process id\nof the shell, not $$$",
	"\\[x\\] a box, escaped",
	"$$\nnever closed\n\n$$",
	"\\$x\\$",
	"$ x $",
]) {
	test(`no formula is seen in ${JSON.stringify(source)}`, () => assert.deepEqual(formulas(source), []));
}
