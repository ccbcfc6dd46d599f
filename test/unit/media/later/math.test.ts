import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Drawn } from "../../../../media/later/drawn.ts";
import { drawMath } from "../../../../media/later/math.ts";

/** As markup, so that a formula reads well. */
function written(drawn: Drawn): string {
	if (typeof drawn === "string") return drawn;
	const { tag, children } = drawn;
	return `<${tag}>${children.map(written).join("")}</${tag}>`;
}

function everything(drawn: Drawn): readonly Drawn[] {
	return typeof drawn === "string" ? [drawn] : [drawn, ...drawn.children.flatMap(everything)];
}

test("a formula becomes MathML", () => {
	assert.equal(
		written(drawMath("\\frac{a}{b}=\\sqrt{x^2}", false) ?? ""),
		"<math><mrow><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>=</mo><msqrt><msup><mi>x</mi><mn>2</mn></msup></msqrt></mrow></math>",
	);
	assert.equal(drawMath("x", true)?.attributes?.display, "block");
	assert.equal(drawMath("x", false)?.attributes?.display, undefined);
});

for (const [what, source] of [
	["that is malformed", "\\frac{a"],
	["with a link", "\\href{https://evil.example}{x}"],
	["with an image", "\\includegraphics{https://evil.example/x.png}"],
	["with HTML attributes", "\\htmlData{a=b}{x}"],
	["that defines a macro", "\\def\\a{\\a\\a}\\a"],
	["that names a command", "\\newcommand{\\a}{b}\\a"],
	["of too many characters", "x".repeat(1_001)],
	["of too many elements", `\\begin{matrix}${"&".repeat(970)}\\end{matrix}`],
	["nested too deeply", `${"\\sqrt{".repeat(80)}x${"}".repeat(80)}`],
] as const) {
	test(`a formula ${what} is not drawn`, () => assert.equal(drawMath(source, true) === undefined, true));
}

test("no formula sets a colour, a position over other text, or a class of the page", () => {
	const sources = [
		"\\color{red}x",
		"\\colorbox{white}{x}",
		"\\fcolorbox{red}{white}{x}",
		"\\raisebox{20em}{x}",
		"\\hspace{-20em}x",
		"\\class{approval}{x}",
		"\\mathrlap{x}y",
		"\\smash{x}",
	];
	for (const source of sources) {
		for (const drawn of everything(drawMath(source, true) ?? "")) {
			if (typeof drawn === "string") continue;
			const values = Object.entries({ ...drawn.attributes, ...drawn.style });
			assert.deepEqual(
				values.filter(([name, value]) => /color|background|position|voffset/i.test(name) || /[-#(:]/.test(value)),
				[],
			);
			assert.doesNotMatch(drawn.class ?? "", /approval/);
		}
	}
});

test("a formula produces only MathML elements, whatever its source", () => {
	const piece = fc.constantFrom(
		..."\\frac \\sqrt { } ^ _ & \\\\ \\left( \\right) \\begin{matrix} \\end{matrix} \\text{ <b> \\html \\url{a} \\tag{1} \\label{a} \\ce{H} x 1 \\verb|a| \\boxed{ \\cancel{ \\bordermatrix{ \\char".split(
			" ",
		),
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, isBlock) => {
			for (const drawn of everything(drawMath(pieces.join(" "), isBlock) ?? "")) {
				if (typeof drawn !== "string") assert.match(drawn.tag, /^(?:m[a-z]+|none)$/);
			}
		}),
		{ numRuns: 500 },
	);
});
