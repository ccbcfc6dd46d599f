import assert from "node:assert/strict";
import { test } from "node:test";
import {
	checkFileSize,
	checkFileText,
	mayHoldFiles,
	readDropped,
} from "../../../../../media/model/attached/dropped-files.ts";
import { MAX_DROPPED_CHARS } from "../../../../../media/wire/limits.ts";

function transfer(data: Readonly<Record<string, string>>, files: readonly File[] = []) {
	// Only members that a list of files shares with an array are read.
	return { getData: (type: string) => data[type] ?? "", files: files as unknown as FileList };
}

test("files dropped from the editor are read from their addresses, without comments and empty lines", () => {
	const list = "# dragged\r\nfile:///a/one.ts\r\n\r\nvscode-remote://box/a/two.ts\n";
	const uris = ["file:///a/one.ts", "vscode-remote://box/a/two.ts"];
	assert.deepEqual(readDropped(transfer({ "application/vnd.code.uri-list": list })), { from: "editor", uris });
	assert.deepEqual(readDropped(transfer({ "text/uri-list": "file:///a/one.ts" })), {
		from: "editor",
		uris: ["file:///a/one.ts"],
	});
	const own = { "application/vnd.code.uri-list": "file:///a/one.ts", "text/uri-list": "file:///b.ts" };
	assert.deepEqual(readDropped(transfer(own, [new File(["b"], "b.ts")])), {
		from: "editor",
		uris: ["file:///a/one.ts"],
	});
});

test("dropped words and links are left to the browser, and files of the system are taken", () => {
	assert.equal(readDropped(transfer({ "text/plain": "words" })), undefined);
	assert.equal(readDropped(transfer({ "text/uri-list": "https://example.org/" })), undefined);
	const file = new File(["b"], "b.ts");
	assert.deepEqual(readDropped(transfer({}, [file])), { from: "system", files: [file] });
	const types = [["Files"], ["application/vnd.code.uri-list"], ["text/plain", "text/uri-list"]];
	assert.deepEqual(types.map(mayHoldFiles), [true, true, false]);
});

test("a file that is too long or not text is refused in one sentence, and a long one is not even read", () => {
	const tooLong = "a.log is too long (limit 20,000 characters). Save it in the workspace and mention it with @.";
	assert.equal(checkFileSize({ name: "a.log", size: 3 * MAX_DROPPED_CHARS }), undefined);
	assert.equal(checkFileSize({ name: "a.log", size: 3 * MAX_DROPPED_CHARS + 1 }), tooLong);
	assert.equal(checkFileText("a.log", "x".repeat(MAX_DROPPED_CHARS)), undefined);
	assert.equal(checkFileText("a.log", "x".repeat(MAX_DROPPED_CHARS + 1)), tooLong);
	assert.equal(checkFileText("a.out", undefined), "a.out can't be read as text.");
});
