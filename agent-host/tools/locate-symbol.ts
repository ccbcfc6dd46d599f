import * as z from "zod";
import type { Place } from "../protocol/host/language.ts";
import { say } from "../protocol/say.ts";
import { cleanHover } from "./clean-hover.ts";
import { findPosition } from "./find-position.ts";
import type { LanguagePorts, Told } from "./language-port.ts";
import { listHits } from "./list-places.ts";
import { defineTool } from "./tool.ts";

/** How a model says which symbol it means. */
export const SymbolAt = z.object({
	symbol: z.string().min(1).max(500),
	path: z.string().min(1).max(4_096),
	// As text in the schema; models also send numbers.
	line: z.coerce.string().max(2_000).optional(),
});

export const NO_EDITOR = "No editor is connected.";

const KINDS = {
	usages: "references",
	definition: "definition",
	type: "typeDefinition",
	implementation: "implementation",
} as const;

const TITLES = {
	usages: "call-find-usages",
	definition: "call-find-definition",
	type: "call-find-type",
	implementation: "call-find-implementation",
	hover: "call-hover",
} as const;

export const locateSymbol = defineTool({
	name: "locate_symbol",
	description: "Ask the language server about a symbol. Prefer it to searching.",
	needs: "language",
	input: SymbolAt.extend({
		line: SymbolAt.shape.line.describe("Number or text of a line with it"),
		find: z.enum(["usages", "definition", "type", "implementation", "hover"]).default("usages"),
	}),
	title: ({ symbol, find }) => say(TITLES[find], { symbol }),
	access: ({ path }, at, ports) => ports.lookUp(at(path)),
	async run(input, at, { language }, signal) {
		if (language === undefined) return { ok: false, reason: NO_EDITOR };
		const found = await findPlace(input, at, language);
		if (!found.ok) return found;
		if (input.find === "hover") {
			const shown = await language.hover(found.place, signal);
			return shown.ok ? { ok: true, text: cleanHover(shown.text) || NO_ANSWER } : shown;
		}
		const told = await language.locate(KINDS[input.find], found.place, signal);
		if (!told.ok) return told;
		const { hits, more } = told;
		if (hits.length === 0) return { ok: true, text: NO_ANSWER };
		const list = listHits(hits, at("."), more);
		return { ok: true, text: input.find === "usages" ? `${countUsages(input.symbol, hits, more)}\n${list}` : list };
	},
});

const NO_ANSWER = "No answer: the language may have no server here, or it does not know this symbol.";

/** The place in the editor's text that a model names. */
export async function findPlace(
	{ symbol, path, line }: z.output<typeof SymbolAt>,
	at: (path: string) => string,
	{ peek }: LanguagePorts,
): Promise<Told<{ readonly place: Place }>> {
	const file = await peek(at(path));
	if (!file.ok) return file;
	const found = findPosition(file.text, symbol, line);
	if (!found.ok) return found;
	return { ok: true, place: { path: at(path), position: { line: found.line, character: found.character } } };
}

function countUsages(symbol: string, hits: readonly { readonly path: string }[], more: number): string {
	const total = hits.length + more;
	const files = new Set(hits.map(({ path }) => path)).size;
	return `${total} ${total === 1 ? "usage" : "usages"} of ${symbol} in ${files} ${files === 1 ? "file" : "files"}`;
}
