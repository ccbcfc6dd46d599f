import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { useTool } from "./rig/use-tool.ts";

test("run_command runs in the workspace and tells exit code and output", (t) =>
	useTool(
		t,
		{ name: "run_command", args: { command: "pwd; cat README.md | head -1; exit 3" } },
		({ status, output, title }) => {
			assert.match(output, /^Exit code 3 after [\d.]+ s\.\nOutput:\n\/.*\n# /);
			assert.deepEqual([status, title], ["completed", "Run pwd; cat README.md | head -1; exit 3"]);
		},
	));

test("a command cannot write outside the workspace, nor to what is protected in it, and no placeholder stays", (t) =>
	useTool(
		t,
		{
			name: "run_command",
			args: { command: "echo x > /usr/made.txt; mkdir -p .husky/x; echo made > made.txt; true" },
		},
		({ output, world }) => {
			assert.match(output, /Read-only file system[\s\S]*Permission denied/);
			assert.deepEqual(
				["made.txt", ".husky"].map((name) => existsSync(join(world.workspace, name))),
				[true, false],
			);
		},
	));

test("in an untrusted workspace there is no such tool", (t) =>
	useTool(t, { name: "run_command", args: { command: "id" }, options: { trusted: false } }, ({ output }) => {
		assert.match(output, /no tool run_command/);
	}));
