import type { Env, Token } from "markdown-it";
import { parseStructure, type References } from "./markdown-parser.ts";

/** A top-level block as the parser found it. */
export interface Piece {
	readonly type: string;
	readonly source: string;
	/** First line, and one past the last line. */
	readonly lines: readonly [number, number];
	/** Labels of the link definitions in this block. */
	readonly labels: readonly string[];
}

export interface Reading {
	readonly pieces: readonly Piece[];
	/** Offset of each line, and of the end of the text. */
	readonly lineStarts: readonly number[];
	/** Definitions from before and from this text; the first one of a label wins. */
	readonly references: References;
}

export function readBlocks(source: string, known: References): Reading {
	const env: Env & { readonly references: References } = { references: { ...known } };
	const lineStarts = findLineStarts(source);
	const pieces: (Piece & { readonly labels: string[] })[] = [];
	for (const token of parseStructure(source, env)) {
		if (token.level === 0 && token.map) {
			const [from, to] = token.map;
			const slice = source.slice(lineStarts[from], lineStarts[to]);
			pieces.push({ type: token.type, source: slice, lines: [from, to], labels: [] });
		}
		const label = readLabel(token);
		if (label !== undefined) pieces.at(-1)?.labels.push(label);
	}
	return { pieces, lineStarts, references: env.references };
}

function readLabel(token: Token): string | undefined {
	const label = token.type === "reference_definition" ? token.meta?.label : undefined;
	return typeof label === "string" ? label : undefined;
}

function findLineStarts(source: string): number[] {
	const starts = [0];
	for (const { index, 0: end } of source.matchAll(/\r\n?|\n/g)) starts.push(index + end.length);
	if (starts.at(-1) !== source.length) starts.push(source.length);
	return starts;
}
