import * as z from "zod";
import { say } from "../protocol/say.ts";
import { listFound, listOutline } from "./list-places.ts";
import { NO_EDITOR } from "./locate-symbol.ts";
import { defineTool } from "./tool.ts";
import type { ToolOutcome } from "./tool-ports.ts";

export const listSymbols = defineTool({
	name: "list_symbols",
	description: "List a file's symbols; with query, workspace symbols by name (path: a file in their language).",
	needs: "language",
	input: z.object({
		path: z.string().min(1).max(4_096).optional(),
		query: z.string().min(1).max(200).optional(),
	}),
	title: ({ path, query }) =>
		query === undefined ? say("call-symbols-of", { path: path ?? "?" }) : say("call-symbols-like", { query }),
	access: ({ path }, at, ports) => (path === undefined ? { kind: "none" } : ports.lookUp(at(path))),
	async run({ path, query }, at, { language }, signal): Promise<ToolOutcome> {
		if (language === undefined) return { ok: false, reason: NO_EDITOR };
		const file = path === undefined ? undefined : await language.peek(at(path));
		if (file?.ok === false) return file;
		if (query === undefined) {
			if (path === undefined) return { ok: false, reason: "Give path, or query." };
			const told = await language.outline(at(path), signal);
			if (!told.ok) return told;
			const { symbols, more } = told;
			return { ok: true, text: symbols.length === 0 ? NO_ANSWER : listOutline(symbols, more) };
		}
		const told = await language.symbols(query, path === undefined ? undefined : at(path), signal);
		if (!told.ok) return told;
		const { symbols, more } = told;
		return { ok: true, text: symbols.length === 0 ? NOT_KNOWN : listFound(symbols, at("."), more) };
	},
});

const NO_ANSWER = "No answer: the language may have no server here.";
const NOT_KNOWN = "No symbol is known by such a name. Most servers start with a file: give the path of one as well.";
