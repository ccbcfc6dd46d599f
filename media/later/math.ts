// Formulas in TeX as MathML. The library's tree is read as untrusted data: only elements, attributes, classes and styles
// named here reach the page, and colours never do, so that no formula can hide what it says.
import temml from "temml";
import type { Drawn, DrawnElement } from "./drawn.ts";

/** Above these limits a formula is shown as it was written. */
const MAX_FORMULA_CHARS = 1_000;
const MAX_NODES = 1_500;
const MAX_DEPTH = 60;
const MAX_EXPANSIONS = 200;
/** Of a rule or a space, in em. */
const MAX_SIZE = 20;

/** Macros of their own can grow without end, and nobody needs them in an answer. */
const DEFINES =
	/\\(?:[gex]?def|(?:future)?let|(?:re)?newcommand|providecommand|DeclareMathOperator|global|long)(?![a-zA-Z])/;

/** A formula as elements; undefined if it is not one, or is too much. */
export function drawMath(source: string, isBlock: boolean): DrawnElement | undefined {
	if (source.length > MAX_FORMULA_CHARS || DEFINES.test(source)) return undefined;
	try {
		const root = temml.__renderToMathMLTree(source, {
			...{ displayMode: isBlock, throwOnError: true, trust: false, annotate: false },
			...{ maxExpand: MAX_EXPANSIONS, maxSize: [MAX_SIZE, MAX_SIZE] },
		});
		const [drawn] = new Reader().read(root, 0);
		return typeof drawn === "string" ? undefined : drawn;
	} catch {
		return undefined;
	}
}

/** What the library promises of a node; `read` believes none of it. */
interface Node {
	readonly type?: unknown;
	readonly text?: unknown;
	readonly classes?: unknown;
	readonly attributes?: unknown;
	readonly style?: unknown;
	readonly children?: unknown;
}

class Reader {
	#nodes = 0;

	read(node: Node, depth: number): readonly Drawn[] {
		if (++this.#nodes > MAX_NODES || depth > MAX_DEPTH) throw new Error("too much");
		if (typeof node.text === "string") return [node.text];
		const children = asList(node.children).flatMap((child) => this.read(child as Node, depth + 1));
		// A fragment is no element of its own.
		if (node.type === undefined) return children;
		const tag = String(node.type);
		if (!ELEMENTS.has(tag)) throw new Error(`unknown element ${tag}`);
		const names = asList(node.classes).filter((name) => CLASSES.has(String(name)));
		const element = {
			tag,
			...(names.length === 0 ? {} : { class: names.join(" ") }),
			attributes: pick(node.attributes, ATTRIBUTES),
			style: pick(node.style, STYLES),
			children,
		};
		return [element];
	}
}

/** Words and lengths: no colour, no function, no address, and nothing negative, which would draw over other text. */
const VALUE = /^[\w.% ]{1,40}$/;

function asList(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

function pick(values: unknown, allowed: ReadonlySet<string>): Readonly<Record<string, string>> {
	const entries = typeof values === "object" && values !== null ? Object.entries(values) : [];
	return Object.fromEntries(
		entries
			.map(([name, value]) => [name, String(value)] as const)
			.filter(([name, value]) => allowed.has(name) && VALUE.test(value)),
	);
}

const ELEMENTS = words(
	"math mrow mi mn mo mtext mspace mstyle mpadded mphantom mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd menclose",
);
const ATTRIBUTES = words(
	"display displaystyle scriptlevel stretchy fence separator form lspace rspace minsize maxsize symmetric largeop movablelimits accent accentunder linethickness width height depth mathvariant columnspan rowspan",
);
const CLASSES = words(
	"tml-display tml-right tml-left tml-jot tml-small tml-vec tml-prime tml-tag mathcal mathscr tml-sml-pad tml-med-pad tml-lrg-pad tml-overline tml-underline",
);
/** Lengths only: colours and places stay those of the page. */
const STYLES = words(
	"padding paddingLeft paddingRight paddingTop paddingBottom width mathDepth border borderTop borderBottom borderLeft borderRight",
);

function words(text: string): ReadonlySet<string> {
	return new Set(text.split(" "));
}
