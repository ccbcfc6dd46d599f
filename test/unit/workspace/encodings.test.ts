import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { encodeIn, findEncoding } from "../../../agent-host/patch/encoding.ts";
import { readFileState } from "../../../agent-host/workspace/apply/file-state.ts";
import { readInside } from "../../../agent-host/workspace/files/read-files.ts";
import { aFakeEditor, type FakeEditor } from "../../support/fake-documents.ts";
import { aPatch, patchFiles } from "../../support/patch-files.ts";

const work = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-encodings-")));
after(() => rmSync(work, { recursive: true, force: true }));

const FILE = join(work, "a.txt");
const SAMPLES = [
	["shiftjis", "一行目\r\n二行目\r\n三行目"],
	["gbk", "第一行\n第二行\n"],
	["windows1252", "Grüße\nzweite Zeile\n"],
	["utf16le", "\uFEFFGrüße\n二行目\n"],
	["utf16be", "no mark\nsecond\n"],
] as const;

let editor: FakeEditor;
beforeEach(() => {
	editor = aFakeEditor();
});

function asBytes(text: string, name: string): Buffer {
	const encoding = findEncoding(name) ?? assert.fail(name);
	const bytes = encodeIn(text, encoding);
	assert.ok(bytes instanceof Uint8Array);
	return Buffer.from(bytes);
}

/** A patch of the second line. */
function changeSecond(text: string, to: string) {
	return aPatch("*** Update File: a.txt", "@@", `-${text.split(/\r?\n/)[1]}`, `+${to}`);
}

for (const [name, text] of SAMPLES) {
	test(`${name}: a file is read in the editor's encoding, and a patch changes its own bytes only`, async () => {
		writeFileSync(FILE, asBytes(text, name));
		editor.encodings.set(FILE, name);
		const read = await readInside(FILE, () => true, editor.encodingOf);
		assert.deepEqual(read, { ok: true, text: text.replace("\uFEFF", "") });
		const applied = await patchFiles(work, changeSecond(text, "B"), { documents: editor });
		assert.ok(applied.ok, applied.ok ? "" : applied.reason);
		const [, second = ""] = text.split(/\r?\n/);
		assert.deepEqual(readFileSync(FILE), asBytes(text.replace(second, "B"), name));
	});

	test(`${name}: a document that shows its file is not unsaved, and has the file's content`, async () => {
		writeFileSync(FILE, asBytes(text, name));
		editor.encodings.set(FILE, name);
		editor.open(FILE, text);
		const applied = await patchFiles(work, changeSecond(text, "B"), { documents: editor });
		assert.ok(applied.ok, applied.ok ? "" : applied.reason);
		assert.deepEqual([applied.unsaved, editor.log], [[], []]);
		editor.open(FILE, text);
		writeFileSync(FILE, asBytes(text, name));
		const state = await readFileState(FILE, editor);
		assert.deepEqual(state.state === "file" && Buffer.from(state.bytes), asBytes(text, name));
	});
}

test("a patch with a character that the encoding lacks is refused, and names it", async () => {
	const [, text] = SAMPLES[0];
	writeFileSync(FILE, asBytes(text, "shiftjis"));
	editor.encodings.set(FILE, "shiftjis");
	const applied = await patchFiles(work, changeSecond(text, "5 €"), { documents: editor });
	assert.ok(!applied.ok);
	assert.match(applied.reason, /a\.txt is shift_jis text, which has no “€”/);
	assert.deepEqual(readFileSync(FILE), asBytes(text, "shiftjis"));
});

test("a file whose encoding nobody knows is not patched, and the setting is named", async () => {
	writeFileSync(FILE, asBytes("Grüße\nzwei\n", "windows1252"));
	for (const name of [undefined, "utf8", "cp437", "shiftjis"]) {
		if (name !== undefined) editor.encodings.set(FILE, name);
		const applied = await patchFiles(work, changeSecond("Grüße\nzwei\n", "B"), { documents: editor });
		assert.ok(!applied.ok, name);
		assert.match(applied.reason, /files\.encoding/);
	}
});

test("a binary file is no text, whatever encoding the editor would use", async () => {
	writeFileSync(FILE, Buffer.of(1, 0, 2, 0xff, 10));
	editor.encodings.set(FILE, "windows1252");
	assert.deepEqual(await readInside(FILE, () => true, editor.encodingOf), {
		ok: false,
		reason: `${FILE} is a binary file.`,
	});
});

test("the editor is not asked about UTF-8", async () => {
	writeFileSync(FILE, "Grüße\nzwei\n");
	const encodingOf = () => assert.fail("asked");
	assert.ok((await readInside(FILE, () => true, encodingOf)).ok);
	const applied = await patchFiles(work, changeSecond("Grüße\nzwei\n", "B"), { documents: { ...editor, encodingOf } });
	assert.ok(applied.ok);
});
