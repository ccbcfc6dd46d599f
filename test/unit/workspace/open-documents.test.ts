import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
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

test("an open document without unsaved changes is edited at its version and saved", async () => {
	editor.open(at("a.txt"));
	const applied = await patchFiles(work, aPatch(...UPDATE("a.txt")), { documents: editor });
	assert.ok(applied.ok, applied.ok ? "" : applied.reason);
	assert.deepEqual(
		[editor.textOf(at("a.txt")), onDisk("a.txt")],
		[{ text: "one\n2\nthree\n", version: 2 }, "one\n2\nthree\n"],
	);
	assert.deepEqual([editor.log, applied.unsaved], [["edit a.txt", "save a.txt"], []]);
});

test("one with unsaved changes is edited on top of them, stays unsaved, and that is said", async () => {
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
	assert.deepEqual(editor.log, ["edit a.txt", "save a.txt"]);
	assert.equal(editor.textOf(at("a.txt"))?.text, "one\r\n2\r\nthree\r\n");
});

const THREE = aPatch(...UPDATE("a.txt"), ...UPDATE("b.txt"), ...UPDATE("c.txt"), "*** Add File: new.txt", "+new");

for (const what of ["edit", "save"] as const) {
	test(`when the editor refuses to ${what} one document, the others and the disk are as before`, async () => {
		editor.open(at("a.txt"));
		editor.open(at("b.txt"));
		editor.refusing[what] = at("b.txt");
		const applied = await patchFiles(work, THREE, { documents: editor });
		assert.ok(!applied.ok);
		assert.match(applied.reason, /^b\.txt .*No changes were made\.$/);
		for (const name of ["a.txt", "b.txt", "c.txt"]) assert.equal(onDisk(name), "one\ntwo\nthree\n", name);
		assert.throws(() => onDisk("new.txt"), /ENOENT/);
		assert.deepEqual(
			["a.txt", "b.txt"].map((name) => editor.textOf(at(name))?.text),
			Array(2).fill("one\ntwo\nthree\n"),
		);
	});
}

test("a document that the user went on with meanwhile is not taken back over their head, and that is said", async () => {
	editor.open(at("a.txt"));
	editor.open(at("b.txt"));
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
