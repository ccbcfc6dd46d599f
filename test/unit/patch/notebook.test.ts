import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { readCellLines, toCellLines } from "../../../agent-host/patch/notebook/cell-lines.ts";
import { readNotebook } from "../../../agent-host/patch/notebook/read-notebook.ts";
import { writeCells } from "../../../agent-host/patch/notebook/write-cells.ts";
import { aFakeEditor } from "../../support/fake-documents.ts";
import { aPatch, patchFiles } from "../../support/patch-files.ts";

const work = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-notebooks-")));
after(() => rmSync(work, { recursive: true, force: true }));
const FILE = join(work, "a.ipynb");

/** As Jupyter writes it, with one level of indentation in one space, odd keys and an output. */
const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {"odd":   true},
   "source": [
    "# Title\\n",
    "caf\\u00e9"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "sum",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": ["3\\n"]
    }
   ],
   "source": [
    "a = 1\\n",
    "print(a + 2)"
   ]
  }
 ],
 "metadata": {"kernelspec": {"name": "python3"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

async function patched(before: string, ...lines: readonly string[]): Promise<string> {
	writeFileSync(FILE, before);
	const applied = await patchFiles(work, aPatch("*** Update File: a.ipynb", ...lines));
	assert.ok(applied.ok, applied.ok ? "" : applied.reason);
	return readFileSync(FILE, "utf8");
}

async function refused(...lines: readonly string[]): Promise<string> {
	writeFileSync(FILE, NOTEBOOK);
	const applied = await patchFiles(work, aPatch("*** Update File: a.ipynb", ...lines));
	assert.ok(!applied.ok);
	assert.equal(readFileSync(FILE, "utf8"), NOTEBOOK);
	return applied.reason;
}

test("changing a line of a cell changes no other byte of the notebook", async () => {
	assert.equal(
		await patched(NOTEBOOK, "@@", " a = 1", "-print(a + 2)", '+print(a + 3, "é")', "+# end"),
		NOTEBOOK.replace('    "print(a + 2)"\n', '    "print(a + 3, \\"é\\")\\n",\n    "# end"\n'),
	);
});

test("line ends, a missing last line end and a source in one string stay as they are", async () => {
	const windows = NOTEBOOK.replaceAll("\n", "\r\n").trimEnd();
	assert.equal(await patched(windows, "@@", "-a = 1", "+a = 5"), windows.replace('"a = 1\\n"', '"a = 5\\n"'));
	const compact = JSON.stringify({
		...{ nbformat: 4, nbformat_minor: 2, metadata: {} },
		cells: [{ cell_type: "raw", metadata: {}, source: "one\ntwo" }],
	});
	assert.equal(await patched(compact, "@@", " %% cell #1 raw", "-one", "+1"), compact.replace("one", "1"));
	assert.match(
		await patched(compact, "@@", " two", "+%% cell code", "+x"),
		/"one\\ntwo"\},\{"cell_type":"code","execution_count":null,"metadata":\{\},"outputs":\[\],"source":\["x"\]\}\]\}$/,
	);
});

test("text between cells is kept, however it is formatted", async () => {
	const odd = NOTEBOOK.replace("  },\n  {\n", "  }\n\n   ,  {\n");
	assert.notEqual(odd, NOTEBOOK);
	assert.equal(await patched(odd, "@@", "-a = 1", "+a = 5"), odd.replace("a = 1", "a = 5"));
});

test("cells are added, removed and moved; those that stay keep every byte", async () => {
	const [first = "", second = ""] = (readNotebook(NOTEBOOK)?.cells ?? []).map(({ span }) =>
		NOTEBOOK.slice(span.start, span.end),
	);
	const added = await patched(
		NOTEBOOK,
		"@@",
		" # Title",
		" café",
		"+%% cell code",
		"+x = 1",
		"+y = 2",
		" %% cell sum code",
	);
	const { cells = [], hasIds } = readNotebook(added) ?? {};
	assert.deepEqual([cells.map(({ kind }) => kind), hasIds], [["markdown", "code", "code"], true]);
	const fresh = cells[1] ?? assert.fail();
	assert.match(fresh.name, /^[0-9a-f]{8}$/);
	assert.equal(
		added,
		NOTEBOOK.replace(
			`${first},\n`,
			`${first},\n  {\n   "cell_type": "code",\n   "execution_count": null,\n   "id": "${fresh.name}",\n   "metadata": {},\n   "outputs": [],\n   "source": [\n    "x = 1\\n",\n    "y = 2"\n   ]\n  },\n`,
		),
	);
	const removed = await patched(NOTEBOOK, "@@", "-%% cell intro markdown", "-# Title", "-café", " %% cell sum code");
	assert.equal(removed, NOTEBOOK.replace(`${first},\n  `, ""));
	const head = ["-%% cell intro markdown", "-# Title", "-café"];
	const tail = head.map((line) => line.replace("-", "+"));
	const moved = await patched(NOTEBOOK, "@@", ...head, " %% cell sum code", " a = 1", " print(a + 2)", ...tail);
	assert.equal(moved, NOTEBOOK.replace(first, "@").replace(second, first).replace("@", second));
});

test("a patch that names unknown cells, or one twice, is refused with the way to write it", async () => {
	assert.match(
		await refused("@@", " café", "+%% cell new code", "+x"),
		/a\.ipynb, has no cell new\. A new cell begins with "%% cell code"/,
	);
	assert.match(await refused("@@", " café", "+%% cell sum code", "+x"), /would have two cells sum/);
	assert.match(await refused("@@", "-nothing of it", "+x"), /a\.ipynb/);
});

test("a patch of the raw file still applies, and a file that is not a notebook is a text file", async () => {
	assert.equal(
		await patched(NOTEBOOK, "@@", '-    "a = 1\\n",', '+    "a = 9\\n",'),
		NOTEBOOK.replace("a = 1", "a = 9"),
	);
	assert.equal(await patched('{"cells": 1}\nx\n', "@@", "-x", "+y"), '{"cells": 1}\ny\n');
});

test("a notebook with unsaved changes in the editor is not patched, and the reason says what to do", async () => {
	writeFileSync(FILE, NOTEBOOK);
	const editor = aFakeEditor();
	editor.unsavedNotebooks.add(FILE);
	const patch = aPatch("*** Update File: a.ipynb", "@@", "-a = 1", "+a = 5");
	const applied = await patchFiles(work, patch, { documents: editor });
	assert.match(
		applied.ok ? "" : applied.reason,
		/^a\.ipynb has unsaved changes in the editor, .*: ask the user to save it, then read it again and patch its cells\.$/,
	);
	assert.equal(readFileSync(FILE, "utf8"), NOTEBOOK);
	assert.ok((await patchFiles(work, patch, { documents: aFakeEditor() })).ok);
});

test("cells are read back from their lines whatever they contain, and writing them back changes nothing", () => {
	const line = fc.oneof(fc.string(), fc.constantFrom("%% cell a code", "\\%% cell code", "%%time", '"', "\\"));
	const source = fc.array(line.map((text) => text.replaceAll("\n", ""))).map((lines) => lines.join("\n"));
	const cell = fc.record({
		cell_type: fc.constantFrom("code", "markdown", "raw"),
		metadata: fc.json().map((text) => JSON.parse(text) as unknown),
		source: fc.oneof(
			source,
			source.map((text) => text.match(/[^\n]*\n|[^\n]+/g) ?? []),
		),
		id: fc.option(fc.constantFrom("a", "b", "c", "x y"), { nil: undefined }),
	});
	fc.assert(
		fc.property(fc.array(cell, { maxLength: 6 }), fc.constantFrom(undefined, 1, "\t"), (cells, indent) => {
			const text = JSON.stringify({ nbformat: 4, cells, nbformat_minor: 5 }, null, indent);
			const notebook = readNotebook(text) ?? assert.fail();
			const lines = toCellLines(notebook);
			const written = readCellLines(lines) ?? assert.fail();
			assert.deepEqual(
				written.map(({ name, lines }) => [name, lines.join("\n")]),
				notebook.cells.map(({ name, lines }) => [name, lines.join("\n")]),
			);
			assert.deepEqual(writeCells(notebook, written), { ok: true, text });
		}),
	);
});
