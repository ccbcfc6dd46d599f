import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type * as opening from "../../../../extension/language/open-document.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("a language server is asked about a file that the user has reopened with its own encoding", async (t) => {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-encoding-")));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const path = join(folder, "a.ts");
	writeFileSync(path, Buffer.from("// café\n", "latin1"));
	const uri = { scheme: "file", fsPath: path, toString: () => path };
	const document = { uri, isDirty: false, encoding: "windows1252", getText: () => "// café\n" };
	const { openDocument } = await loadOverPaper<typeof opening>(["extension/language/open-document.ts"], {
		...{ l10n: {}, Uri: { file: () => uri } },
		workspace: {
			workspaceFolders: [],
			openTextDocument: async () => document,
			onDidChangeTextDocument: () => ({ dispose: () => undefined }),
			fs: { readFile: async () => readFileSync(path) },
			// By an address, the editor takes the encoding of the settings.
			decode: async (bytes: Buffer, { encoding }: { readonly encoding?: string }) =>
				bytes.toString(encoding === "windows1252" ? "latin1" : "utf8"),
		},
	});
	assert.equal(await openDocument(path), document);
});
