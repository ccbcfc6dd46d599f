import { elementSpans, memberSpans, type Span } from "./json-spans.ts";

/** Larger notebooks are plain text files. */
const MAX_CHARS = 16_000_000;
const MAX_CELLS = 10_000;

const KINDS = ["code", "markdown", "raw"] as const;
export type CellKind = (typeof KINDS)[number];

/** What counts of a notebook's JSON. */
interface NotebookValue {
	readonly minor: number;
	readonly cells: readonly CellValue[];
}

interface CellValue {
	readonly kind: CellKind;
	readonly id: string | undefined;
	readonly source: string;
	readonly outputs: readonly unknown[];
}

/** A cell, and where it is in the file. */
export interface Cell {
	/** Its id, or `#` and its number where it has none. */
	readonly name: string;
	readonly kind: CellKind;
	readonly lines: readonly string[];
	readonly outputs: readonly unknown[];
	readonly span: Span;
	readonly source: Span;
}

export interface Notebook {
	readonly text: string;
	readonly cells: readonly Cell[];
	readonly hasIds: boolean;
	/** Between the brackets of its list of cells. */
	readonly list: Span;
}

/** A name that can be part of a line. */
const PLAIN_ID = /^[\w-]{1,64}$/;

export function isNotebookPath(path: string): boolean {
	return path.toLowerCase().endsWith(".ipynb");
}

/** The cells of a notebook file; undefined if the text is none in the usual format. */
export function readNotebook(text: string): Notebook | undefined {
	if (text.length > MAX_CHARS) return undefined;
	const value = parse(text);
	if (value === undefined) return undefined;
	const cells = memberSpans(text, text.indexOf("{")).get("cells");
	if (cells === undefined) return undefined;
	const { elements, close } = elementSpans(text, cells.start);
	const ids = value.cells.map(({ id }) => id ?? "");
	return {
		text,
		hasIds: value.minor >= 5,
		list: { start: cells.start + 1, end: close },
		cells: value.cells.flatMap(({ kind, id, source, outputs }, index) => {
			const span = elements[index];
			const at = span === undefined ? undefined : memberSpans(text, span.start).get("source");
			if (span === undefined || at === undefined) return [];
			const isUnique = id !== undefined && PLAIN_ID.test(id) && ids.indexOf(id) === ids.lastIndexOf(id);
			const name = isUnique ? id : `#${index + 1}`;
			return { name, kind, lines: toLines(source), outputs, span, source: at };
		}),
	};
}

function parse(text: string): NotebookValue | undefined {
	let value: Fields | undefined;
	try {
		value = readFields(JSON.parse(text));
	} catch {
		return undefined;
	}
	const { nbformat, nbformat_minor: minor, cells } = value ?? {};
	if (nbformat !== 4 || !Array.isArray(cells) || cells.length > MAX_CELLS) return undefined;
	const read = cells.flatMap((cell) => readCell(cell) ?? []);
	return read.length === cells.length ? { minor: typeof minor === "number" ? minor : 0, cells: read } : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function readFields(value: unknown): Fields | undefined {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function readCell(value: unknown): CellValue | undefined {
	const { cell_type, id, source, outputs } = readFields(value) ?? {};
	const kind = KINDS.find((one) => one === cell_type);
	const lines = Array.isArray(source) ? source : [source];
	if (kind === undefined || !lines.every((line) => typeof line === "string")) return undefined;
	return {
		kind,
		id: typeof id === "string" ? id : undefined,
		source: lines.join(""),
		outputs: Array.isArray(outputs) ? outputs : [],
	};
}

function toLines(source: string): readonly string[] {
	return source === "" ? [] : source.split("\n");
}
