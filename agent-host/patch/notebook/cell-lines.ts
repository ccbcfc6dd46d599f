import type { CellKind, Notebook } from "./read-notebook.ts";

/** The first line of a cell as models read and write it. */
const HEAD = /^%% cell(?: (\S+))? (code|markdown|raw)\s*$/;
/** A line of a cell that looks like the first line of one. */
const LIKE_HEAD = /^\\*%% cell\b/;

/** A cell as it is written: without a name, it is new. */
export interface WrittenCell {
	readonly name: string | undefined;
	readonly kind: CellKind;
	readonly lines: readonly string[];
}

/** A notebook as lines: the cells one after the other, each under a line that names it. */
export function toCellLines({ cells }: Notebook): readonly string[] {
	return cells.flatMap(({ name, kind, lines }) => [
		`%% cell ${name} ${kind}`,
		...lines.map((line) => (LIKE_HEAD.test(line) ? `\\${line}` : line)),
	]);
}

/** Reads such lines again; undefined if there are lines before the first cell. */
export function readCellLines(lines: readonly string[]): readonly WrittenCell[] | undefined {
	const cells: { name: string | undefined; kind: CellKind; lines: string[] }[] = [];
	for (const line of lines) {
		const head = HEAD.exec(line);
		if (head !== null) {
			cells.push({ name: head[1], kind: head[2] as CellKind, lines: [] });
			continue;
		}
		const cell = cells.at(-1);
		if (cell === undefined) return undefined;
		cell.lines.push(LIKE_HEAD.test(line) ? line.slice(1) : line);
	}
	return cells;
}
