import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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

const PATCH = ["*** Begin Patch", "*** Add File: made.txt", "+by a patch", "*** End Patch"].join("\n");

test("a command that is exactly a patch is the edit it is: shown, judged and recorded as one", (t) =>
	useTool(
		t,
		{
			name: "run_command",
			args: { command: `cd sub && apply_patch <<'EOF'\n${PATCH}\nEOF` },
			prepare: ({ workspace }) => void mkdirSync(join(workspace, "sub")),
		},
		({ status, title, output, world }) => {
			assert.deepEqual([status, title, output], ["completed", "Add made.txt", "Changed:\nA made.txt (+1 -0)"]);
			assert.equal(readFileSync(join(world.workspace, "sub/made.txt"), "utf8"), "by a patch\n");
		},
	));

test("apply_patch also works inside a script, within what the sandbox lets it write", (t) =>
	useTool(
		t,
		{
			name: "run_command",
			args: { command: "sh ./script; cd .git && sh ../script; echo ended" },
			prepare: ({ workspace }) => {
				mkdirSync(join(workspace, ".git"), { recursive: true });
				writeFileSync(join(workspace, "script"), `set -e\napply_patch <<'EOF'\n${PATCH}\nEOF\necho patched\n`);
			},
		},
		({ output, world }) => {
			assert.match(output, /A made\.txt\npatched\n.*(?:read-only|not permitted|denied)[\s\S]*ended/i);
			assert.equal(output.match(/patched/g)?.length, 1);
			assert.equal(readFileSync(join(world.workspace, "made.txt"), "utf8"), "by a patch\n");
			assert.deepEqual(readdirSync(join(world.workspace, ".git")), []);
		},
	));
