import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import type { World } from "../support/canaries.ts";
import { findRipgrepFolder } from "./rig/find-ripgrep.ts";
import { shareToolHost, useTool } from "./rig/use-tool.ts";
import type { HostTestOptions } from "./rig/with-host.ts";

const useShared = shareToolHost();

test("list_files lists what is there, sorted, and does not go through links", (t) =>
	useShared(t, { name: "list_files", args: {} }, ({ output }) => {
		assert.deepEqual(
			output.split("\n").filter((line) => !line.startsWith("link-to")),
			["README.md", "src/greet.ts", "src/main.ts"],
		);
	}));

test("list_files keeps paths that match a pattern and leaves out what .gitignore excludes", (t) => {
	const prepare = ({ workspace }: World) => {
		write(join(workspace, ".gitignore"), "generated/\n*.log\n");
		write(join(workspace, "generated/a.ts"), "");
		write(join(workspace, "src/b.log"), "");
		write(join(workspace, ".git/c.ts"), "");
	};
	return useTool(t, { name: "list_files", args: { pattern: "**/*.ts" }, prepare }, ({ output }) => {
		assert.deepEqual(output.split("\n"), ["src/greet.ts", "src/main.ts"]);
	});
});

for (const path of ["link-to-folder", "..", "/", "src/../../outside"]) {
	for (const name of ["list_files", "search_files"]) {
		test(`${name} refuses ${path}`, (t) =>
			useShared(t, { name, args: { path, pattern: "canary" } }, ({ status, output }) => {
				assert.equal(status, "failed");
				assert.match(output, /out of the workspace|outside the workspace/);
			}));
	}
}

test("list_files stops at its limit and says so", (t) =>
	useShared(t, { name: "list_files", args: { limit: 1 } }, ({ output }) => {
		assert.match(output, /^README\.md\n\[.*first 1.*\]$/);
	}));

test("a thousand nested folders, names with line breaks and odd files do not stop a listing", (t) => {
	const prepare = ({ workspace }: World) => {
		mkdirSync(join(workspace, "d/".repeat(500)), { recursive: true });
		write(join(workspace, "a name\nwith a line break.ts"), "");
		execFileSync("mkfifo", [join(workspace, ".gitignore")]);
	};
	return useTool(t, { name: "list_files", args: {}, prepare }, ({ status, output }) => {
		assert.equal(status, "completed");
		assert.match(output, /src\/main\.ts/);
	});
});

const ripgrep = findRipgrepFolder();
const SEARCHES: readonly { readonly mode: "walk" | "ripgrep"; readonly options: HostTestOptions }[] = [
	// Where there is no program: many machines have ripgrep among the others.
	{ mode: "walk", options: { env: { PATH: "/" } } },
	{ mode: "ripgrep", options: { env: { PATH: `/usr/bin:/bin:${ripgrep}` } } },
];

for (const { mode, options } of SEARCHES) {
	const useSearch = shareToolHost(options);
	const search = (title: string, args: object, check: (output: string, status: string) => void) =>
		test(`search_files by ${mode}: ${title}`, (t) =>
			useSearch(
				t,
				{
					name: "search_files",
					args,
					prepare: async ({ workspace }, host) => {
						assert.ok(ripgrep, "no ripgrep on this machine: put rg on the PATH");
						assert.equal((await host.request(hostStatus, {})).search, mode);
						write(join(workspace, "binary.dat"), Buffer.from("\0greet\0"));
						host.notifyRaw("textDocument/didOpen", {
							textDocument: {
								uri: `file://${workspace}/src/greet.ts`,
								languageId: "ts",
								version: 1,
								text: "// GREET unsaved\n",
							},
						});
					},
				},
				({ output, status }) => check(output, status),
			));

	search(
		"finds lines with file and number, in unsaved text instead of the text on disk",
		{ pattern: "greet" },
		(output) =>
			assert.deepEqual(output.split("\n"), [
				"README.md:3: It greets people.",
				"src/greet.ts:1: // GREET unsaved",
				'src/main.ts:1: import { greet } from "./greet.ts";',
				'src/main.ts:3: greet("world");',
			]),
	);
	search("capitals in the pattern make it case-sensitive", { pattern: "GREET" }, (output) =>
		assert.equal(output, "src/greet.ts:1: // GREET unsaved"),
	);
	search("text behind a link out of the workspace is not found", { pattern: "canary-" }, (output) =>
		assert.equal(output, "No matches."),
	);
	search("a pattern that looks like an option is only a pattern", { pattern: "--files" }, (output) =>
		assert.equal(output, "No matches."),
	);
	search("the result stops at its limit and says so", { pattern: "greet", limit: 1 }, (output) =>
		assert.match(output, /^README\.md:3: It greets people\.\n\[.*first 1 .*\]$/),
	);
	search(
		"a regular expression works, or the missing support is reported",
		{ pattern: "gr[e]+t\\(", regex: true },
		(output, status) => {
			if (mode === "ripgrep") assert.equal(output, 'src/main.ts:3: greet("world");');
			else assert.deepEqual([status, /ripgrep/.test(output)], ["failed", true]);
		},
	);
	search("a broken regular expression fails with its reason", { pattern: "(", regex: true }, (output, status) => {
		assert.equal(status, "failed");
		assert.notEqual(output, "");
	});
	search(
		"a folder that is a link out of the workspace is refused",
		{ pattern: "canary", path: "link-to-folder" },
		(output) => assert.match(output, /out of the workspace|outside the workspace/),
	);
}

function write(path: string, data: string | Uint8Array): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, data);
}
