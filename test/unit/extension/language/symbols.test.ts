import assert from "node:assert/strict";
import { test } from "node:test";
import type { findSymbols } from "../../../../extension/language/symbols.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("a symbol without a container or a position is found, and so are the others", async () => {
	const uri = { scheme: "file", fsPath: "/app/a.py" };
	const range = { start: { line: 3, character: 0 }, end: { line: 5, character: 0 } };
	const found = [
		{ name: "open", kind: 11, containerName: undefined, location: { uri, range } },
		{ name: "Later", kind: 4, containerName: "app", location: { uri } },
	];
	const loaded = await loadOverPaper<{ readonly findSymbols: typeof findSymbols }>(["extension/language/symbols.ts"], {
		SymbolKind: { 4: "Class", 11: "Function" },
		workspace: {},
		commands: { executeCommand: async () => found },
	});
	const path = uri.fsPath;
	assert.deepEqual(await loaded.findSymbols(assert.fail as never, { query: "o" }), {
		symbols: [
			{ name: "open", kind: "function", path, depth: 0, line: 3, endLine: 5, container: "" },
			{ name: "Later", kind: "class", path, depth: 0, line: 0, endLine: 0, container: "app" },
		],
		more: 0,
	});
});
