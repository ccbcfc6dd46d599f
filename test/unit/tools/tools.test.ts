import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchesGlob } from "../../../agent-host/permissions/glob.ts";
import { TOOLS } from "../../../agent-host/tools/catalog.ts";
import type { ToolPorts } from "../../../agent-host/tools/tool.ts";

const never = new AbortController().signal;
const files: Readonly<Record<string, string>> = { "/repo/a.txt": "one\ntwo\r\nthree\n", "/repo/empty": "" };
const ports: ToolPorts = {
	readText: async (path) => {
		const text = files[path];
		return text === undefined ? { ok: false, reason: `${path} does not exist.` } : { ok: true, text };
	},
	listFiles: async () => ({ paths: ["a.txt", "src/b.ts", "src/deep/c.ts"] }),
	searchFiles: async () => ({ ok: true, matches: [{ path: "a.txt", line: 2, text: "two" }], cut: "more" }),
};

async function run(name: string, input: unknown): Promise<unknown> {
	const prepared = TOOLS.find((tool) => tool.name === name)?.prepare(JSON.stringify(input), "/repo");
	assert.ok(prepared);
	return "problem" in prepared ? prepared : prepared.run(ports, never);
}

test("read_file numbers lines from 1 and says how many are left", async () => {
	assert.deepEqual(await run("read_file", { path: "a.txt", lines: 2 }), {
		ok: true,
		text: "1: one\n2: two\n[1 more lines]",
	});
	assert.deepEqual(await run("read_file", { path: "a.txt", from: 3 }), { ok: true, text: "3: three" });
	assert.deepEqual(await run("read_file", { path: "a.txt", from: 9 }), {
		ok: false,
		reason: "a.txt has only 3 lines.",
	});
	assert.deepEqual(await run("read_file", { path: "empty" }), { ok: true, text: "empty is empty." });
});

test("list_files keeps only what the pattern matches", async () => {
	assert.deepEqual(await run("list_files", { pattern: "*.ts" }), { ok: true, text: "src/b.ts\nsrc/deep/c.ts" });
	assert.deepEqual(await run("list_files", { pattern: "src/*.ts" }), { ok: true, text: "src/b.ts" });
	assert.deepEqual(await run("list_files", { limit: 1 }), { ok: true, text: "a.txt\n[only the first 1 are shown]" });
});

test("search_files shows path, line and text, and why it ends early", async () => {
	assert.deepEqual(await run("search_files", { pattern: "two" }), { ok: true, text: "a.txt:2: two\n[more]" });
	assert.deepEqual(await run("search_files", { pattern: "a\nb" }), {
		ok: false,
		reason: "A pattern is one line: it cannot hold line breaks.",
	});
});

test("arguments that cannot be understood are answered with what is wrong, never thrown", () => {
	const problems = ['{"path":5}', "{", "[]", "null", '{"from":0,"path":"a"}'].map((raw) =>
		TOOLS[0]?.prepare(raw, "/repo"),
	);
	for (const problem of problems)
		assert.match(
			problem !== undefined && "problem" in problem ? problem.problem : "",
			/^Bad arguments for read_file: /,
		);
});

test("a call declares the absolute path it would touch", async () => {
	const prepared = TOOLS[0]?.prepare('{"path":"../etc/passwd"}', "/repo");
	assert.ok(prepared !== undefined && "access" in prepared);
	// Reading declares what it touches from its arguments alone, so it asks for no port.
	const access = await prepared.access({} as ToolPorts, new AbortController().signal);
	assert.deepEqual(access, { kind: "read", path: "/etc/passwd" });
});

test("a glob matches what the same pattern as a regular expression matches", () => {
	const name = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 4 });
	const part = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "."), minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(
			fc.array(name, { minLength: 1, maxLength: 3 }),
			fc.array(
				part.filter((p) => !p.includes("**") && p !== "."),
				{ minLength: 2, maxLength: 3 },
			),
			(path, pattern) => {
				const source = pattern
					.map((p) => p.replaceAll(".", "\\.").replaceAll("*", "[^/]*").replaceAll("?", "[^/]"))
					.join("/");
				assert.equal(matchesGlob(pattern.join("/"), path.join("/")), new RegExp(`^${source}$`).test(path.join("/")));
			},
		),
	);
});

test("** matches any number of folders, none included", () => {
	assert.deepEqual(
		["a.ts", "x/a.ts", "x/y/a.ts", "x/y/a.js"].map((path) => matchesGlob("**/*.ts", path)),
		[true, true, true, false],
	);
});
