import * as z from "zod";
import { toCellLines } from "../patch/notebook/cell-lines.ts";
import { isNotebookPath, readNotebook } from "../patch/notebook/read-notebook.ts";
import { finishInPieces } from "../patch/pieces.ts";
import { say } from "../protocol/say.ts";
import { pageOfLines } from "./page-of-lines.ts";
import { clampedInt } from "./parameters.ts";
import { showOutputs } from "./show-outputs.ts";
import { defineTool } from "./tool.ts";

const MAX_LINES = 2_000;
const MAX_LINE_CHARS = 2_000;

export const readFile = defineTool({
	name: "read_file",
	description: `Read a text file, at most ${MAX_LINES} lines per call, numbered from 1. Returns unsaved editor contents.`,
	needs: "read",
	input: z.object({
		path: z.string().min(1).max(4_096).describe("Relative to the working directory, or absolute"),
		from: z.int().min(1).default(1).describe("First line"),
		lines: clampedInt(1, MAX_LINES).default(MAX_LINES),
	}),
	title: ({ path }) => say("call-read", { path }),
	access: ({ path }, at, ports) => ports.lookUp(at(path)),
	async run({ path, from, lines }, at, ports, signal) {
		const file = await ports.readText(at(path), signal);
		if (!file.ok) return file;
		const notebook = isNotebookPath(path) ? readNotebook(file.text) : undefined;
		const text = notebook === undefined ? file.text : toCellLines(notebook).join("\n");
		const { lines: found, total } = await finishInPieces(pageOfLines(text, from, lines), signal);
		if (total === 0) return { ok: true, text: notebook === undefined ? `${path} is empty.` : NO_CELLS };
		if (from > total) return { ok: false, reason: `${path} has only ${total} lines.` };
		const page = found.map((line, index) => `${from + index}: ${shorten(line)}`);
		const left = total - (from - 1 + page.length);
		const shown = left > 0 ? `${page.join("\n")}\n[${left} more lines]` : page.join("\n");
		if (notebook === undefined) return { ok: true, text: shown };
		const unsaved = (await ports.isUnsavedNotebook(at(path))) ? UNSAVED : "";
		const outputs = left > 0 ? "" : showOutputs(notebook.cells);
		return { ok: true, text: [CELLS + unsaved, shown, outputs].filter((part) => part !== "").join("\n") };
	},
});

const CELLS =
	'The cells of a notebook. Patch them in this form: "%% cell NAME TYPE" begins a cell, "%% cell TYPE" a new one, of type code or markdown.';
const NO_CELLS = 'The notebook has no cells. Patch it by adding some: "%% cell code" begins one.';
const UNSAVED = " The editor has unsaved changes of it that are not shown here.";

function shorten(line: string): string {
	return line.length <= MAX_LINE_CHARS
		? line
		: `${line.slice(0, MAX_LINE_CHARS)} [… ${line.length - MAX_LINE_CHARS} more characters]`;
}
