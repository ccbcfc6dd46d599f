import { basename, relative } from "node:path";
import { oneLine } from "../permissions/words/one-line.ts";
import { PLATFORM } from "../platform/platform.ts";
import type { LanguageSymbol } from "../protocol/host/language.ts";
import type { Hit } from "./language-port.ts";

/** Limits of one answer. */
const MAX_LINES = 100;
const MAX_CHARS = 8_000;
const MAX_LINE_CHARS = 200;

/** Places by file, definitions first: `src/a.ts:40 definition  export function parse(`. */
export function listHits(hits: readonly Hit[], cwd: string, more: number): string {
	const files = [...new Set(hits.map(({ path }) => path))];
	const isDefining = (path: string) => hits.some((hit) => hit.path === path && hit.isDefinition === true);
	const ordered = [...files.filter(isDefining), ...files.filter((path) => !isDefining(path))];
	const lines = ordered.flatMap((path) =>
		hits
			.filter((hit) => hit.path === path)
			.toSorted((a, b) => Number(b.isDefinition ?? false) - Number(a.isDefinition ?? false) || a.line - b.line)
			.map((hit) => formatHit(hit, cwd)),
	);
	return cutLines(lines, more);
}

/** Symbols of one file, indented, with the lines that each takes. */
export function listOutline(symbols: readonly LanguageSymbol[], more: number): string {
	const lines = symbols.map(({ depth, kind, name, line, endLine }) => {
		const range = line === endLine ? `${line + 1}` : `${line + 1}-${endLine + 1}`;
		return `${"  ".repeat(depth)}${oneLine(kind)} ${oneLine(name)} ${range}`;
	});
	return cutLines(lines, more);
}

export function listFound(symbols: readonly LanguageSymbol[], cwd: string, more: number): string {
	const lines = symbols.map(({ path, line, kind, name, container }) => {
		const where = container === undefined || container === "" ? "" : ` in ${oneLine(container)}`;
		return `${showPath(path, cwd)}:${line + 1} ${oneLine(kind)} ${oneLine(name)}${where}`;
	});
	return cutLines(lines, more);
}

/** Relative to the working directory, if it is in there. */
export function showPath(path: string, cwd: string): string {
	const way = relative(cwd, path);
	return oneLine(way === "" || way === ".." || /^\.\.[/\\]/.test(way) ? path : PLATFORM.withSlashes(way));
}

/** As many lines as fit, and how many do not. */
export function cutLines(lines: readonly string[], more = 0, limits = { lines: MAX_LINES, chars: MAX_CHARS }): string {
	const shown: string[] = [];
	let chars = 0;
	for (const line of lines) {
		const cut = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
		chars += cut.length + 1;
		if (shown.length === limits.lines || chars > limits.chars) break;
		shown.push(cut);
	}
	const left = lines.length - shown.length + more;
	return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join("\n");
}

function formatHit({ path, line, isDefinition, text, isOutside }: Hit, cwd: string): string {
	// Of what is outside the workspace, only the name is shown.
	const name = isOutside
		? `${oneLine(basename(path))}:${line + 1} (outside the workspace)`
		: `${showPath(path, cwd)}:${line + 1}`;
	return `${name}${isDefinition ? " definition" : ""}${text === undefined ? "" : `  ${oneLine(text.trim())}`}`;
}
