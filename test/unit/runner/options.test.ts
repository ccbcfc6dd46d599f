import assert from "node:assert/strict";
import { test } from "node:test";
import { readOptions } from "../../runner/options.ts";

const CHOICES = {
	stages: ["check", "host", "editor"],
	files: [
		"test/host/turn.test.ts",
		"test/editor/chat.test.ts",
		"test/page/turn.test.ts",
		"test/editor/pictures.full.ts",
	],
};

const CASES: readonly (readonly [string, object])[] = [
	["", { stages: [], files: [], full: false }],
	["--full", { stages: [], files: [], full: true }],
	["host editor", { stages: ["host", "editor"], files: [], full: false }],
	["editor/chat", { stages: [], files: ["test/editor/chat.test.ts"], full: false }],
	["test/editor/chat.test.ts", { stages: [], files: ["test/editor/chat.test.ts"], full: false }],
	["chat host", { stages: ["host"], files: ["test/editor/chat.test.ts"], full: false }],
	["turn", { stages: [], files: ["test/host/turn.test.ts", "test/page/turn.test.ts"], full: false }],
	["pictures", { stages: [], files: ["test/editor/pictures.full.ts"], full: false }],
	["host -t palette", { stages: ["host"], files: [], title: "palette", full: false }],
];

for (const [line, expected] of CASES) {
	test(`npm test -- ${line} runs what it names`, () => {
		assert.deepEqual(readOptions(line.split(" ").filter(Boolean), CHOICES), expected);
	});
}

test("a word that names nothing is refused with what there is", () => {
	const message = '"chta" is neither a stage (check, host, editor) nor a test file such as host/turn.';
	assert.throws(() => readOptions(["chta"], CHOICES), { message });
});
