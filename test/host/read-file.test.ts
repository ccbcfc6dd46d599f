import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { World } from "../support/canaries.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { shareToolHost, type ToolUse, useTool } from "./rig/use-tool.ts";
import { withHost } from "./rig/with-host.ts";

const useShared = shareToolHost();

test("read_file returns numbered lines, and the user sees what was read", (t) =>
	useShared(t, { name: "read_file", args: { path: "src/main.ts" } }, ({ status, output, title }) => {
		assert.deepEqual(
			[status, output, title],
			["completed", '1: import { greet } from "./greet.ts";\n2: \n3: greet("world");', "Read src/main.ts"],
		);
	}));

test("files of an untrusted workspace can be read", (t) =>
	useTool(t, { name: "read_file", args: { path: "README.md" }, options: { trusted: false } }, ({ output }) => {
		assert.match(output, /A small project/);
	}));

test("a link that stays inside the workspace can be read", (t) => {
	const prepare = ({ workspace }: World) => symlinkSync("README.md", join(workspace, "link-inside"));
	return useShared(t, { name: "read_file", args: { path: "link-inside" }, prepare }, ({ output }) => {
		assert.match(output, /A small project/);
	});
});

test("a line cut in the middle of a character is sent as valid Unicode", (t) =>
	withHost(t, { script: [calls("read_file", { path: "face.txt" }), says("done")] }, async ({ host, world, model }) => {
		writeFileSync(join(world.workspace, "face.txt"), `${"a".repeat(1_999)}\u{1F600}\n`);
		await runTurn(host, await aThread(host), "x");
		assert.match(model.requests[1]?.text ?? "", /1 more characters/);
		assert.deepEqual(
			model.requests.flatMap(({ text }) => text.match(/\\ud[89a-f][0-9a-f]{2}/gi) ?? []),
			[],
		);
	}));

interface Refusal extends Pick<ToolUse, "args" | "prepare"> {
	readonly what: string;
	readonly says: RegExp;
	readonly tool?: string;
}

const REFUSALS: readonly Refusal[] = [
	{ what: "a link to a file outside", args: { path: "link-to-file" }, says: /outside the workspace/ },
	{ what: "a file behind a linked folder", args: { path: "link-to-folder/plan.txt" }, says: /outside the workspace/ },
	{ what: "a path with ..", args: { path: "src/../../outside/plan.txt" }, says: /outside the workspace/ },
	{ what: "an absolute path outside", args: ({ outside }) => ({ path: outside }), says: /outside the workspace/ },
	{ what: "a path in the user's home", args: { path: "~/.ssh/id_ed25519" }, says: /does not exist|outside/ },
	{
		what: "a folder beside the workspace whose name begins alike",
		args: ({ workspace }) => ({ path: `${workspace}-other/a.txt` }),
		prepare: ({ workspace }) => write(`${workspace}-other/a.txt`, "not yours"),
		says: /outside the workspace/,
	},
	{
		what: "a chain of links that ends outside",
		args: { path: "hop-1" },
		prepare: ({ workspace, outside }) => {
			symlinkSync("hop-2", join(workspace, "hop-1"));
			symlinkSync(outside, join(workspace, "hop-2"));
		},
		says: /outside the workspace/,
	},
	{
		what: "a link to itself",
		args: { path: "loop" },
		prepare: ({ workspace }) => symlinkSync("loop", join(workspace, "loop")),
		says: /link/,
	},
	{
		what: "a FIFO",
		args: { path: "pipe" },
		prepare: ({ workspace }) => void execFileSync("mkfifo", [join(workspace, "pipe")]),
		says: /not a regular file/,
	},
	{
		what: "a device behind a link",
		args: { path: "zero" },
		prepare: ({ workspace }) => symlinkSync("/dev/zero", join(workspace, "zero")),
		says: /outside the workspace/,
	},
	{ what: "a folder", args: { path: "src" }, says: /folder/ },
	{
		what: "a binary file",
		args: { path: "picture.png" },
		prepare: ({ workspace }) => write(join(workspace, "picture.png"), Buffer.from([0x89, 0x50, 0, 1, 2, 3])),
		says: /binary/,
	},
	{
		what: "a file of 50 MB",
		args: { path: "huge.log" },
		prepare: ({ workspace }) => write(join(workspace, "huge.log"), Buffer.alloc(50_000_000, "line\n")),
		says: /50000000 bytes|too large|MB/,
	},
	{ what: "a file that is not there", args: { path: "src/nothing.ts" }, says: /does not exist/ },
	{ what: "a path through a file", args: { path: "README.md/x" }, says: /does not exist/ },
	{ what: "a path with a NUL", args: { path: "README.md\0.png" }, says: /./ },
	{ what: "an endless path", args: { path: "a/".repeat(100_000) }, says: /Bad arguments/ },
	{ what: "arguments of the wrong type", args: { path: 7 }, says: /Bad arguments for read_file[\s\S]*path/ },
	{ what: "no arguments", args: {}, says: /Bad arguments/ },
	{ what: "arguments that are no JSON", args: '{"path": "READ', says: /not valid JSON/ },
	{ what: "arguments that are no object", args: "[1, 2]", says: /Bad arguments/ },
	{ what: "lines past the end", args: { path: "README.md", from: 99 }, says: /only 3 lines/ },
	{ what: "a tool that does not exist", tool: "delete_everything", args: { path: "/" }, says: /delete_everything/ },
];

for (const { what, args, prepare, says, tool = "read_file" } of REFUSALS) {
	test(`${what} is refused with a reason, and the turn goes on`, (t) =>
		useShared(t, { name: tool, args, ...(prepare ? { prepare } : {}) }, ({ status, output }) => {
			assert.equal(status, "failed");
			assert.match(output, says);
		}));
}

test("without a folder the model is offered no file tools, and a call to one is refused", (t) =>
	useTool(t, { name: "read_file", args: { path: "/etc/hostname" }, options: { folders: () => [] } }, ({ status }) => {
		assert.equal(status, "failed");
	}));

test("a long file is read page by page", (t) => {
	const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join("\n");
	const prepare = ({ workspace }: World) => write(join(workspace, "long.txt"), lines);
	const use = { name: "read_file", args: { path: "long.txt", from: 4_990, lines: 3 }, prepare };
	return useShared(t, use, ({ output }) => {
		assert.equal(output, "4990: line 4990\n4991: line 4991\n4992: line 4992\n[8 more lines]");
	});
});

test("output is limited by the window, and states how much is missing", (t) => {
	const prepare = ({ workspace }: World) =>
		write(join(workspace, "wide.txt"), `${"word ".repeat(300)}\n`.repeat(1_000));
	const options = { settings: { model: { contextWindow: 10_000 } } };
	return useTool(t, { name: "read_file", args: { path: "wide.txt" }, prepare, options }, ({ output }) => {
		assert.ok(output.length < 10_000, `${output.length} characters`);
		assert.match(output, /omitted|more/);
	});
});

function write(path: string, data: string | Uint8Array): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, data);
}
