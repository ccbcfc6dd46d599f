import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";

/** Adds formulas to a parser: `$a$`, `$$a$$` and `\(a\)` in a line, `$$` and `\[` as blocks. */
export function readMath(parser: MarkdownIt): void {
	parser.block.ruler.before("fence", "math_block", readBlock, {
		alt: ["paragraph", "reference", "blockquote", "list"],
	});
	parser.inline.ruler.before("escape", "math_inline", readInline);
}

/** A line that begins a block: nothing but the mark, a command after it, or all of the formula. */
const BEGINS = /^(?:\$\$(?=\s*$|\s*\\|.*\S\$\$\s*$)|\\\[(?=\s*$|\s*\S))/;
const CLOSINGS: Readonly<Record<string, string>> = { $$: "$$", "\\[": "\\]" };

/**
 * Ends with its mark at the end of a line. TeX knows no blank line in a formula, so a block ends there at the latest;
 * without its mark it is a paragraph. Where it ends depends on no later line.
 */
function readBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
	if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
	const [mark = ""] = BEGINS.exec(lineOf(state, startLine)) ?? [];
	const closing = CLOSINGS[mark];
	if (closing === undefined) return false;
	if (silent) return true;
	let isClosed = false;
	let next = startLine;
	while (next < endLine && !isClosed && !state.isEmpty(next) && (state.sCount[next] ?? 0) >= state.blkIndent) {
		const line = lineOf(state, next).slice(next === startLine ? mark.length : 0);
		isClosed = line.trimEnd().endsWith(closing);
		next++;
	}
	const text = state.getLines(startLine, next, state.blkIndent, false).trim();
	state.line = next;
	if (isClosed) {
		const token = state.push("math_block", "", 0);
		token.content = text.slice(mark.length, text.length - closing.length);
		Object.assign(token, { markup: mark, map: [startLine, next] });
		return true;
	}
	Object.assign(state.push("paragraph_open", "p", 1), { map: [startLine, next] });
	Object.assign(state.push("inline", "", 0), { content: text, map: [startLine, next], children: [] });
	state.push("paragraph_close", "p", -1);
	return true;
}

function lineOf(state: StateBlock, line: number): string {
	return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

const MAX_INLINE_CHARS = 1_000;
const OPENINGS = [
	["$$", "$$"],
	["$", "$"],
	["\\(", "\\)"],
] as const;

function readInline(state: StateInline, silent: boolean): boolean {
	const [opening, closing] = OPENINGS.find(([mark]) => state.src.startsWith(mark, state.pos)) ?? [];
	if (opening === undefined || closing === undefined) return false;
	const from = state.pos + opening.length;
	const to = opening === "$" ? findDollar(state, from) : findClosing(state, from, closing);
	if (to < 0 || to >= state.posMax || (opening === "$$" && state.src[to + 2] === "$")) return false;
	const content = state.src.slice(from, to);
	if (content.trim() === "" || content.length > MAX_INLINE_CHARS) return false;
	if (!silent) Object.assign(state.push("math_inline", "", 0), { content, markup: opening });
	state.pos = to + closing.length;
	return true;
}

function findClosing(state: StateInline, from: number, closing: string): number {
	const end = Math.min(state.posMax, from + MAX_INLINE_CHARS + closing.length);
	const at = state.src.slice(from, end).indexOf(closing);
	return at < 0 ? -1 : from + at;
}

/**
 * Most dollars are money or variables of a shell: a formula touches both of its marks, no word touches them from outside, and
 * what begins with a number also has a sign of mathematics in it.
 */
function findDollar(state: StateInline, from: number): number {
	const { src } = state;
	if (/[\w$\\]/.test(src[from - 2] ?? " ") || /\s/.test(src[from] ?? " ")) return -1;
	const to = findClosing(state, from, "$");
	if (to < 0 || /[\s\\]/.test(src[to - 1] ?? " ") || /[\w$]/.test(src[to + 1] ?? " ")) return -1;
	const content = src.slice(from, to);
	return /^\d/.test(content) && /\s/.test(content) && !/[\\^_=+*<>{}]/.test(content) ? -1 : to;
}
