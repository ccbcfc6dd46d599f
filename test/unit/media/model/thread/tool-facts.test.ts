import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countPatchedFiles, readPatchedFiles } from "../../../../../agent-host/protocol/thread/patched-files.ts";
import { readToolFacts } from "../../../../../media/model/thread/tool-facts.ts";

test("the subject of a call is read from its arguments, whatever the model wrote", () => {
	const read = (name: string, json: unknown) =>
		readToolFacts({ name, arguments: typeof json === "string" ? json : JSON.stringify(json) });
	assert.deepEqual(read("run_command", { command: "npm test", cwd: "app" }), {
		kind: "command",
		command: "npm test",
		cwd: "app",
	});
	assert.deepEqual(read("run_command", { command: ["ls", 1, "-l"] }), {
		kind: "command",
		command: "ls -l",
		cwd: undefined,
	});
	assert.deepEqual(
		read("update_plan", {
			steps: [{ step: "one", status: "completed" }, { text: "two", state: "in_progress" }, "three"],
		}),
		{
			kind: "plan",
			steps: [
				{ text: "one", state: "done" },
				{ text: "two", state: "running" },
				{ text: "three", state: "open" },
			],
		},
	);
	for (const junk of ["", "{", "null", "[]", '{"command":{}}', '{"steps":[{}]}', '{"patch":7}']) {
		for (const name of ["run_command", "apply_patch", "update_plan", "read_file"]) {
			assert.deepEqual(read(name, junk), { kind: "other" }, `${name} ${junk}`);
		}
	}
});

test("a patch is read file by file, as an argument or as free text", () => {
	const patch = `*** Begin Patch
*** Add File: new.txt
+one
+two
*** Update File: a.ts
*** Move to: b.ts
@@
 same
-old
+new
*** Delete File: gone.txt
*** End Patch`;
	const files = [
		{ path: "new.txt", movedTo: undefined, operation: "add", added: 2, removed: 0, diff: "+one\n+two\n" },
		{ path: "a.ts", movedTo: "b.ts", operation: "update", added: 1, removed: 1, diff: "@@\n same\n-old\n+new\n" },
		{ path: "gone.txt", movedTo: undefined, operation: "delete", added: 0, removed: 0, diff: "" },
	];
	for (const json of [JSON.stringify({ patch }), patch]) {
		assert.deepEqual(readToolFacts({ name: "apply_patch", arguments: json }), { kind: "patch", patch, files });
	}
});

test("the files of a patch are the same however they are read, and its lines are counted along the way", () => {
	const line = fc.constantFrom(
		...["*** Begin Patch", "*** Add File: a", "*** Update File: b\r", "*** Move to: c ", "*** End Patch", "*** "],
		...["@@", "+", "+x", "-", "-y\r", " z", "", "++", "**", "*** Delete File: d"],
	);
	fc.assert(
		fc.property(fc.array(line), (lines) => {
			const patch = lines.join("\n");
			const read = readPatchedFiles(patch);
			assert.deepEqual(read, readByLines(patch));
			assert.deepEqual(
				countPatchedFiles(patch),
				read.map(({ diff: _, ...file }) => file),
			);
		}),
	);
});

function readByLines(patch: string) {
	const files: Record<string, unknown>[] = [];
	for (const line of patch.split("\n")) {
		const [, operation, path] = /^\*\*\* (Add|Update|Delete) File: (.+?)\r?$/.exec(line) ?? [];
		const file = files.at(-1);
		if (operation !== undefined)
			files.push({ path, movedTo: undefined, operation: operation.toLowerCase(), added: 0, removed: 0, diff: "" });
		else if (file && line.startsWith("*** Move to: ")) file.movedTo = line.slice(13).trimEnd();
		else if (file && !line.startsWith("*** ")) {
			file.diff += `${line}\n`;
			if (line.startsWith("+")) file.added = Number(file.added) + 1;
			else if (line.startsWith("-")) file.removed = Number(file.removed) + 1;
		}
	}
	return files;
}
