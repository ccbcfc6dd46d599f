import type { WrittenCell } from "./cell-lines.ts";
import type { Cell, Notebook } from "./read-notebook.ts";

/** The text of the notebook with other cells, or why they make none. Every byte of cells that stay is kept. */
export function writeCells(
	notebook: Notebook,
	written: readonly WrittenCell[],
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string } {
	const old = new Map(notebook.cells.map((cell) => [cell.name, cell]));
	const names = written.flatMap(({ name }) => name ?? []);
	const unknown = names.find((name) => !old.has(name));
	if (unknown !== undefined)
		return {
			ok: false,
			reason: `has no cell ${unknown}. A new cell begins with "%% cell code" or "%% cell markdown".`,
		};
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice !== undefined)
		return { ok: false, reason: `would have two cells ${twice}. Leave out the name of the new one.` };
	const style = findStyle(notebook);
	const taken = new Set(old.keys());
	const elements = written.map((cell, index) => {
		const before = cell.name === undefined ? undefined : old.get(cell.name);
		if (before?.kind === cell.kind) return rewrite(notebook, before, cell, style);
		return formatCell(cell, notebook.hasIds ? chooseId(cell, index, taken) : undefined, style);
	});
	const { text, list } = notebook;
	const parts = elements.map((element, index) => {
		const kept = index === 0 ? style.lead : textBetween(notebook, written[index - 1], written[index]);
		return (kept ?? `,${style.lead}`) + element;
	});
	const inner = parts.length === 0 ? "" : parts.join("") + style.trail;
	return { ok: true, text: text.slice(0, list.start) + inner + text.slice(list.end) };
}

/** What is between two cells that are still neighbours. */
function textBetween({ text, cells }: Notebook, first?: WrittenCell, second?: WrittenCell): string | undefined {
	const index = first?.name === undefined ? -1 : cells.findIndex(({ name }) => name === first.name);
	const [before, after] = [cells[index], cells[index + 1]];
	if (before === undefined || after === undefined || after.name !== second?.name) return undefined;
	return text.slice(before.span.end, after.span.start);
}

/** How the list of cells is laid out. */
interface Style {
	/** Before each cell: line end and indentation, or nothing. */
	readonly lead: string;
	readonly trail: string;
	/** One level of indentation; undefined if all is in one line. */
	readonly unit: string | undefined;
	readonly newline: string;
}

function findStyle({ text, cells, list }: Notebook): Style {
	const newline = text.includes("\r\n") ? "\r\n" : "\n";
	const first = cells[0]?.span.start;
	const last = cells.at(-1)?.span.end;
	const lead = first === undefined || last === undefined ? undefined : text.slice(list.start, first);
	if (lead !== undefined && last !== undefined) {
		const indent = /[\r\n]([ \t]*)$/.exec(lead)?.[1];
		// Cells are two levels deep.
		const unit = indent === undefined ? undefined : indent.slice(0, Math.ceil(indent.length / 2));
		return { lead, trail: text.slice(last, list.end), unit, newline };
	}
	const unit = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1];
	if (unit === undefined) return { lead: "", trail: "", unit, newline };
	return { lead: newline + unit + unit, trail: newline + unit, unit, newline };
}

function rewrite({ text }: Notebook, { span, source, lines }: Cell, written: WrittenCell, style: Style): string {
	if (lines.join("\n") === written.lines.join("\n")) return text.slice(span.start, span.end);
	const isString = text[source.start] === '"';
	const value = isString ? JSON.stringify(written.lines.join("\n")) : format(toSource(written.lines), style, 3);
	return text.slice(span.start, source.start) + value + text.slice(source.end, span.end);
}

function formatCell({ kind, lines }: WrittenCell, id: string | undefined, style: Style): string {
	const isCode = kind === "code";
	// In the order in which notebooks are written.
	return format(
		{
			cell_type: kind,
			...(isCode ? { execution_count: null } : {}),
			...(id === undefined ? {} : { id }),
			metadata: {},
			...(isCode ? { outputs: [] } : {}),
			source: toSource(lines),
		},
		style,
		2,
	);
}

/** A value whose first line is `depth` levels deep. */
function format(value: unknown, { unit, newline }: Style, depth: number): string {
	if (unit === undefined) return JSON.stringify(value);
	return JSON.stringify(value, null, unit).replaceAll("\n", newline + unit.repeat(depth));
}

/** All lines but the last keep their end. */
function toSource(lines: readonly string[]): readonly string[] {
	return lines.join("\n").match(/[^\n]*\n|[^\n]+/g) ?? [];
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The same for the same patch, so that what is shown is what is written. */
function chooseId({ lines }: WrittenCell, index: number, taken: Set<string>): string {
	let hash = FNV_OFFSET;
	for (const character of `${index}\n${lines.join("\n")}`)
		hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), FNV_PRIME) >>> 0;
	for (;;) {
		const id = hash.toString(16).padStart(8, "0");
		if (!taken.has(id)) {
			taken.add(id);
			return id;
		}
		hash = (hash + 1) >>> 0;
	}
}
