import * as z from "zod";
import { oneLine } from "../permissions/words/one-line.ts";
import { say } from "../protocol/say.ts";
import { clampedInt } from "./parameters.ts";
import { defineTool } from "./tool.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

export const searchFiles = defineTool({
	name: "search_files",
	description:
		"Search files by plain text or a regular expression. Lowercase patterns ignore case. Includes unsaved editor contents.",
	needs: "read",
	input: z.object({
		pattern: z.string().min(1).max(1_000),
		path: z.string().min(1).max(4_096).default("."),
		regex: z.boolean().default(false),
		limit: clampedInt(1, MAX_LIMIT).default(DEFAULT_LIMIT),
	}),
	title: ({ pattern, path }) =>
		path === "." ? say("call-search", { pattern }) : say("call-search-in", { pattern, path }),
	access: ({ path }, at, ports) => ports.lookUp(at(path)),
	async run({ pattern, path, regex, limit }, at, ports, signal) {
		if (/[\n\r\0]/.test(pattern)) return { ok: false, reason: "A pattern cannot contain line breaks." };
		const found = await ports.searchFiles({ folder: at(path), pattern, regex, limit }, signal);
		if (!found.ok) return found;
		if (found.matches.length === 0) return { ok: true, text: "No matches." };
		const lines = found.matches.map((match) => `${oneLine(match.path)}:${match.line}: ${match.text}`);
		return { ok: true, text: found.cut === undefined ? lines.join("\n") : `${lines.join("\n")}\n[${found.cut}]` };
	},
});
