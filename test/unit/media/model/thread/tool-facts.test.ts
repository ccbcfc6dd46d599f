import assert from "node:assert/strict";
import { test } from "node:test";
import { readToolFacts } from "../../../../../media/model/thread/tool-facts.ts";

test("a call is read for what it is about, whatever the model wrote", () => {
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
