import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import type { readReferences } from "../../../../extension/outside/read-references.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

class Uri {
	readonly scheme: string;
	readonly path: string;
	constructor(path: string, scheme = "file") {
		this.path = path;
		this.scheme = scheme;
	}
	get fsPath(): string {
		return this.path;
	}
	toString(): string {
		return `${this.scheme}:${this.path}`;
	}
	static parse(address: string): Uri {
		const at = address.indexOf(":");
		return new Uri(address.slice(at + 1), address.slice(0, at));
	}
	static file(path: string): Uri {
		return new Uri(path);
	}
}

class Location {
	readonly uri: Uri;
	readonly range: object;
	constructor(path: string, from: number, to: number) {
		this.uri = new Uri(path);
		this.range = { start: { line: from - 1, character: 0 }, end: { line: to - 1, character: 3 } };
	}
}

const LINES = ["one", "two", "three"];

interface Window {
	readonly level?: string;
	readonly isTrusted?: boolean;
}

/** Reads what a test attaches in a workspace with a file, a file with secrets, and a link out of it. */
async function read(
	attach: (folder: string) => readonly { readonly id: string; readonly value: unknown }[],
	{ level, isTrusted = true }: Window = {},
) {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-references-")));
	const folder = join(root, "work");
	mkdirSync(folder);
	for (const path of ["work/a.ts", "work/.env", "outside.ts"]) writeFileSync(join(root, path), LINES.join("\n"));
	symlinkSync(join(root, "outside.ts"), join(folder, "link.ts"));
	const openTextDocument = async (uri: Uri) => ({
		...{ uri, lineCount: LINES.length, lineAt: (line: number) => ({ text: LINES[line] }) },
		validateRange: (range: object) => range,
	});
	const loaded = await loadOverPaper<{ readonly readReferences: typeof readReferences }>(
		["extension/outside/read-references.ts"],
		{
			...{ Uri, Location, env: {}, l10n: {} },
			workspace: {
				...{ isTrusted, openTextDocument, workspaceFolders: [{ uri: new Uri(folder) }] },
				getConfiguration: () => ({ inspect: () => ({ globalValue: level }) }),
				asRelativePath: ({ path }: Uri) => basename(path),
			},
		},
	);
	try {
		const { attached, problems } = await loaded.readReferences(attach(folder));
		return { attached: JSON.parse(JSON.stringify(attached).replaceAll(`${folder}/`, "")), problems };
	} finally {
		rmSync(root, { recursive: true });
	}
}

const selected = (path: string) => ({ kind: "selection", path, from: 2, to: 3, text: "two\nthree" });
const file = (path: string) => ({ kind: "file", path });

test("in the editor's own chat, attached files, selections and texts are read as in the panel, in the prompt's order", async () => {
	const { attached, problems } = await read((folder) => [
		{ id: "pasted", value: "let a = 1;" },
		{ id: "vscode.selection", value: new Location(join(folder, ".env"), 2, 3) },
		{ id: "vscode.file", value: new Uri(join(folder, "a.ts")) },
		{ id: "vscode.file", value: new Uri(join(folder, "a.ts")) },
	]);
	const pasted = { kind: "excerpt", title: "text attached in the editor's chat", text: "let a = 1;" };
	assert.deepEqual({ attached, problems }, { attached: [file("a.ts"), selected(".env"), pasted], problems: [] });
});

test("a file outside the workspace, even through a link, or without a path or text is not sent, and the user is told", async () => {
	const { attached, problems } = await read((folder) => [
		{ id: "vscode.image", value: { mimeType: "image/png" } },
		{ id: "vscode.file", value: new Uri("Untitled-1", "untitled") },
		{ id: "vscode.file", value: new Location(join(folder, "../outside.ts"), 1, 1) },
		{ id: "vscode.file", value: new Uri(join(folder, "link.ts")) },
	]);
	assert.deepEqual(attached, []);
	assert.deepEqual(problems, [
		"Not attached (outside this workspace): link.ts, outside.ts, Untitled-1",
		"Some attachments can't be sent from this chat. Attach them in Vitrine's chat.",
	]);
});

test("context that the editor adds to its chat follows the setting, trust and the names of secrets", async () => {
	const automatic = (kind: string, path: string, window: Window = {}) =>
		read((folder) => [{ id: `vscode.implicit.${kind}`, value: new Location(join(folder, path), 2, 3) }], window);
	assert.deepEqual((await automatic("selection", "a.ts")).attached, [selected("a.ts")]);
	assert.deepEqual((await automatic("selection", "a.ts", { level: "activeFile" })).attached, [file("a.ts")]);
	assert.deepEqual((await automatic("selection", ".env")).attached, [file(".env")]);
	assert.deepEqual((await automatic("viewport", "a.ts")).attached, [file("a.ts")]);
	const nothing = { attached: [], problems: [] };
	assert.deepEqual(await automatic("selection", "a.ts", { level: "off" }), nothing);
	assert.deepEqual(await automatic("selection", "a.ts", { isTrusted: false }), nothing);
	const brought = await read((folder) => [
		{ id: "vscode.implicit.string", value: "a page" },
		{ id: "vscode.prompt.instructions.text", value: "Follow me." },
		{ id: "vscode.prompt.instructions.root__file:/a", value: new Uri(join(folder, "a.ts")) },
	]);
	assert.deepEqual(brought, nothing);
});

test("if the editor's own chat has too many attachments, the first are sent and the user is told", async () => {
	const { attached, problems } = await read(() =>
		Array.from({ length: 21 }, (_, index) => ({ id: "pasted", value: String(index) })),
	);
	assert.deepEqual([attached.length, attached[0].text], [20, "20"]);
	assert.deepEqual(problems, ["Only the first 20 files are attached."]);
});
