import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { glanceAtFile, readFileState } from "../../../agent-host/workspace/apply/file-state.ts";
import { aFakeEditor } from "../../support/fake-documents.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-file-state-")));
after(() => rmSync(folder, { recursive: true }));
const editor = aFakeEditor();
/** So late that no file has only just changed. */
const later = (): number => Date.now() + 60_000;

function aFile(name: string, text: string): string {
	const path = join(folder, name);
	writeFileSync(path, text);
	return path;
}

/** How a glance found the text, and whether it read it. */
async function glance(path: string, now: number) {
	const [seen, read] = [await glanceAtFile(path, editor, now), await readFileState(path, editor)];
	assert.ok(seen.state === "file" && read.state === "file");
	return { isRead: "bytes" in seen, isRight: seen.hash === read.hash };
}

test("a file unchanged since the last glance is not read again", async () => {
	const path = aFile("same", "one");
	assert.deepEqual(await glance(path, later()), { isRead: true, isRight: true });
	assert.deepEqual(await glance(path, later()), { isRead: false, isRight: true });
});

test("of a large file a glance keeps only the hash, and finds an edit of it", async () => {
	const path = aFile("large", "x".repeat(3_000_000));
	assert.deepEqual(await glance(path, later()), { isRead: false, isRight: true });
	writeFileSync(path, "y".repeat(3_000_000));
	assert.deepEqual(await glance(path, later()), { isRead: false, isRight: true });
});

test("a file is read again after an edit that keeps its length and sets its time back", async () => {
	const path = aFile("edited", "one");
	const { atime, mtime } = statSync(path);
	await glance(path, later());
	writeFileSync(path, "two");
	utimesSync(path, atime, mtime);
	assert.deepEqual(await glance(path, later()), { isRead: true, isRight: true });
});

test("a file that has only just changed is read at the next glance, too: it may change within the same tick", async () => {
	const path = aFile("fresh", "one");
	assert.deepEqual(await glance(path, Date.now()), { isRead: true, isRight: true });
	assert.deepEqual(await glance(path, later()), { isRead: true, isRight: true });
});

test("a glance sees the editor's unsaved text, even of a file that it knows", async () => {
	const path = aFile("unsaved", "one");
	await glance(path, later());
	editor.open(path);
	editor.type(path, "two");
	const seen = await glanceAtFile(path, editor, later());
	assert.ok(seen.state === "file");
	assert.deepEqual({ isOpen: seen.isOpen, isRead: "bytes" in seen }, { isOpen: true, isRead: true });
});

test("a file that is gone or became a folder is not mistaken for what it was", async () => {
	const path = aFile("gone", "one");
	await glance(path, later());
	rmSync(path);
	assert.deepEqual(await glanceAtFile(path, editor, later()), { state: "absent" });
	assert.deepEqual(await glanceAtFile(folder, editor, later()), { state: "absent" });
});
