import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { readFileState } from "../../../agent-host/workspace/apply/file-state.ts";
import { aFakeEditor, type FakeEditor } from "../../support/fake-documents.ts";
import { aPatch, patchFiles } from "../../support/patch-files.ts";

const work = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-documents-")));
after(() => rmSync(work, { recursive: true, force: true }));

const at = (name: string) => join(work, name);
const onDisk = (name: string) => readFileSync(at(name), "utf8");
const UPDATE = (name: string) => [`*** Update File: ${name}`, "@@", "-two", "+2"];

let editor: FakeEditor;
beforeEach(() => {
	editor = aFakeEditor();
	for (const name of ["a.txt", "b.txt", "c.txt"]) writeFileSync(at(name), "one\ntwo\nthree\n");
});

test("an open document without unsaved changes is written on disk, and the editor is asked for nothing", async () => {
	editor.open(at("a.txt"));
	const applied = await patchFiles(work, aPatch(...UPDATE("a.txt")), { documents: editor });
	assert.ok(applied.ok, applied.ok ? "" : applied.reason);
	assert.deepEqual([onDisk("a.txt"), editor.log, applied.unsaved], ["one\n2\nthree\n", [], []]);
});

test("text that the editor only loaded, and that is not on disk, is neither patched nor told", async () => {
	editor.load(at("a.txt"), "secret\ntwo\nthree\n");
	const applied = await patchFiles(work, aPatch(...UPDATE("a.txt")), { documents: editor });
	assert.ok(applied.ok);
	assert.deepEqual([onDisk("a.txt"), editor.log], ["one\n2\nthree\n", []]);
	const refused = await patchFiles(work, aPatch("*** Update File: a.txt", "@@", "-secret", "+x"), {
		documents: editor,
	});
	assert.ok(!refused.ok);
	assert.match(refused.reason, /expected "secret"/);
	const state = await readFileState(at("a.txt"), editor);
	assert.equal(state.state === "file" && Buffer.from(state.bytes).toString(), "one\n2\nthree\n");
});

test("a document with unsaved changes is edited on top of them, stays unsaved, and that is reported", async () => {
	editor.open(at("a.txt"), "one\ntwo\nthree, unsaved\n");
	const applied = await patchFiles(work, aPatch(...UPDATE("a.txt")), { documents: editor });
	assert.ok(applied.ok);
	assert.deepEqual(
		[editor.textOf(at("a.txt"))?.text, onDisk("a.txt"), editor.log, applied.unsaved, applied.changes.files[0]?.unsaved],
		["one\n2\nthree, unsaved\n", "one\ntwo\nthree\n", ["edit a.txt"], ["a.txt"], true],
	);
});

test("a hunk must fit the text in the editor, not the disk", async () => {
	editor.open(at("a.txt"), "one\nzwei\nthree\n");
	const applied = await patchFiles(work, aPatch(...UPDATE("a.txt")), { documents: editor });
	assert.ok(!applied.ok);
	assert.match(applied.reason, /a\.txt, line 1: expected "two"/);
	assert.deepEqual(editor.log, []);
});

test("line ends that the editor unified and a hidden byte-order mark do not make a document unsaved", async () => {
	writeFileSync(at("a.txt"), "\uFEFFone\r\ntwo\nthree\r\n");
	editor.open(at("a.txt"), "one\r\ntwo\r\nthree\r\n");
	const applied = await patchFiles(work, aPatch(...UPDATE("a.txt")), { documents: editor });
	assert.ok(applied.ok);
	assert.deepEqual([onDisk("a.txt"), editor.log], ["\uFEFFone\r\n2\r\nthree\r\n", []]);
});

const UNSAVED = "one\ntwo\nthree, unsaved\n";
const THREE = aPatch(...UPDATE("a.txt"), ...UPDATE("b.txt"), ...UPDATE("c.txt"), "*** Add File: new.txt", "+new");

test("when the editor refuses to edit one document, the others and the disk are as before", async () => {
	for (const name of ["a.txt", "b.txt"]) editor.open(at(name), UNSAVED);
	editor.refusing.edit = at("b.txt");
	const applied = await patchFiles(work, THREE, { documents: editor });
	assert.ok(!applied.ok);
	assert.match(applied.reason, /^b\.txt .*No changes were made\.$/);
	for (const name of ["a.txt", "b.txt", "c.txt"]) assert.equal(onDisk(name), "one\ntwo\nthree\n", name);
	assert.throws(() => onDisk("new.txt"), /ENOENT/);
	assert.deepEqual(
		["a.txt", "b.txt"].map((name) => editor.textOf(at(name))?.text),
		Array(2).fill(UNSAVED),
	);
});

test("a document that the user edited meanwhile is not reverted, and that is reported", async () => {
	for (const name of ["a.txt", "b.txt"]) editor.open(at(name), UNSAVED);
	const typing = {
		...editor,
		edit: async (...args: Parameters<FakeEditor["edit"]>) => {
			if (args[0] === at("b.txt")) {
				editor.type(at("a.txt"), "mine\n");
				return false;
			}
			return editor.edit(...args);
		},
	};
	const applied = await patchFiles(work, THREE, { documents: typing });
	assert.ok(!applied.ok);
	assert.match(applied.reason, /could not be reverted in the editor: a\.txt/);
	assert.equal(editor.textOf(at("a.txt"))?.text, "mine\n");
	assert.equal(onDisk("c.txt"), "one\ntwo\nthree\n");
});

test("a document with unsaved changes is neither deleted, moved nor replaced, and one never saved is not written", async () => {
	editor.open(at("a.txt"), "unsaved\n");
	editor.open(at("never.txt"), "text");
	const operations = [
		["*** Delete File: a.txt"],
		["*** Add File: a.txt", "+x"],
		["*** Update File: a.txt", "*** Move to: d.txt", "@@", "-unsaved", "+x"],
		["*** Update File: b.txt", "*** Move to: a.txt", "@@", "-two", "+x"],
		["*** Add File: never.txt", "+x"],
	];
	for (const lines of operations) {
		const applied = await patchFiles(work, aPatch(...lines), { documents: editor });
		assert.ok(!applied.ok, lines[0]);
		assert.match(applied.reason, /unsaved|never been saved/);
	}
	assert.deepEqual([onDisk("a.txt"), editor.log], ["one\ntwo\nthree\n", []]);
});
