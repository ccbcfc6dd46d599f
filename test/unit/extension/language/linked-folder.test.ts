import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type * as offering from "../../../../extension/attach/document-offers.ts";
import type * as locating from "../../../../extension/language/locate.ts";
import type * as problems from "../../../../extension/language/problems.ts";
import type * as edits from "../../../../extension/language/read-edit.ts";
import type * as reporting from "../../../../extension/language/reports.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const TEXT = "export const total = 1;\n";
const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-linked-")));
after(() => rmSync(folder, { recursive: true, force: true }));
const [real, link] = ["project", "link"].map((name) => join(folder, name)) as [string, string];
mkdirSync(real);
symlinkSync(real, link);
writeFileSync(join(real, "a.ts"), TEXT);

const file = (fsPath: string) => ({ scheme: "file", fsPath, toString: () => `file://${fsPath}` });
const at = { line: 0, character: 13 };
const range = { start: at, end: at };
/** The editor, and the language server with it, knows the file by the path that the folder was opened with. */
const known = file(join(link, "a.ts"));
const isKnown = (uri: object) => String(uri) === String(known);
const document = { uri: known, isDirty: false, languageId: "typescript", getText: () => TEXT };

class Position {}

const diagnosed = new PaperEmitter();
/** Where a language server says that the file is. */
let reportedAt: object = known;

const vscode = {
	...{ l10n: {}, Position, Uri: { file }, DiagnosticSeverity: { Error: 0, Warning: 1 } },
	languages: {
		getDiagnostics: (uri: object) =>
			String(uri) === String(reportedAt) ? [{ range, severity: 0, message: "No." }] : [],
		onDidChangeDiagnostics: diagnosed.event,
	},
	...{ EventEmitter: PaperEmitter, window: { tabGroups: { all: [] } }, extensions: { all: [] } },
	commands: { executeCommand: async () => undefined },
	workspace: {
		workspaceFolders: [{ name: "link", uri: file(link) }],
		asRelativePath: ({ fsPath }: { readonly fsPath: string }) => fsPath,
		textDocuments: [document],
		onDidCloseTextDocument: () => undefined,
		openTextDocument: async (uri: object) => (isKnown(uri) ? document : assert.fail(String(uri))),
		fs: { readFile: async () => Buffer.from(TEXT) },
		decode: async (bytes: Buffer) => bytes.toString(),
	},
};

test("in a folder that was opened through a link, language servers are asked by its path and answer by the host's", async () => {
	const { locate, readProblems, readEdit } = await loadOverPaper<typeof locating & typeof problems & typeof edits>(
		["extension/language/locate.ts", "extension/language/problems.ts", "extension/language/read-edit.ts"],
		vscode,
	);
	const path = join(real, "a.ts");
	const ask = async (_: string, asked: { readonly uri: object }) => (isKnown(asked.uri) ? [{ uri: known, range }] : []);
	const place = { path, position: at };
	assert.deepEqual(await locate(ask as never, { of: "definition", at: place }), {
		locations: [{ path, line: 0 }],
		more: 0,
	});
	const reports = { mark: () => 1, settle: async () => [] } as never;
	for (const since of [undefined, 0]) {
		const answer = await readProblems(reports, { paths: [path], ...(since === undefined ? {} : { since }) });
		assert.deepEqual([answer.problems.map((one) => one.path), answer.unchecked], [[path], []]);
	}
	const entries = [[known, [{ range, newText: "sum" }]]];
	const { files } = await readEdit({ entries: () => entries, size: 1 } as never);
	assert.deepEqual(
		files.map((one) => one.path),
		[path],
	);
});

test("problems count in a folder that was opened through a link if the server reports them under the real path", async (t) => {
	reportedAt = file(join(real, "a.ts"));
	t.after(() => {
		reportedAt = known;
	});
	const { readProblems, createReports, offerProblems } = await loadOverPaper<
		typeof problems & typeof reporting & typeof offering
	>(["extension/language/problems.ts", "extension/language/reports.ts", "extension/attach/document-offers.ts"], vscode);
	const reports = createReports();
	diagnosed.fire({ uris: [reportedAt] });
	const path = join(real, "a.ts");
	for (const since of [undefined, 0]) {
		const answer = await readProblems(reports, { paths: [path], ...(since === undefined ? {} : { since }) });
		assert.deepEqual([answer.problems.map((one) => one.path), answer.unchecked], [[path], []]);
	}
	assert.equal(offerProblems(known as never)?.label, "1 problem");
});
