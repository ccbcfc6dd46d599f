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
	["", { stages: [], files: [], extent: "short" }],
	["--rest", { stages: [], files: [], extent: "rest" }],
	["--full", { stages: [], files: [], extent: "full" }],
	["host editor", { stages: ["host", "editor"], files: [], extent: "short" }],
	["editor/chat", { stages: [], files: ["test/editor/chat.test.ts"], extent: "short" }],
	["test/editor/chat.test.ts", { stages: [], files: ["test/editor/chat.test.ts"], extent: "short" }],
	["chat host", { stages: ["host"], files: ["test/editor/chat.test.ts"], extent: "short" }],
	["turn", { stages: [], files: ["test/host/turn.test.ts", "test/page/turn.test.ts"], extent: "short" }],
	["pictures", { stages: [], files: ["test/editor/pictures.full.ts"], extent: "short" }],
	["host -t palette", { stages: ["host"], files: [], title: "palette", extent: "short" }],
];

for (const [line, expected] of CASES) {
	test(`npm test -- ${line} runs what it names`, () => {
		assert.deepEqual(readOptions(line.split(" ").filter(Boolean), CHOICES), expected);
	});
}

test("an unknown word is refused with the available names", () => {
	const message = '"chta" is neither a stage (check, host, editor) nor a test file such as host/turn.';
	assert.throws(() => readOptions(["chta"], CHOICES), { message });
});
