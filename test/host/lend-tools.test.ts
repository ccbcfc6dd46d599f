import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type LentTool, toolLend } from "../../agent-host/protocol/host/lent-tools.ts";
import { say } from "../../agent-host/protocol/say.ts";
import type { HostProcess } from "../support/host-process.ts";
import { shareHost } from "./rig/share-host.ts";

const withHost = shareHost({});

function lend(host: HostProcess, tool: LentTool, args: object) {
	return host.request(toolLend, { tool, arguments: JSON.stringify(args) });
}

test("another agent reads, lists and searches the workspace with the lent tools", (t) =>
	withHost(t, [], async ({ host }) => {
		assert.match((await lend(host, "read_file", { path: "README.md" })).text, /^1: /);
		assert.match((await lend(host, "list_files", {})).text, /^README\.md$/m);
		assert.match((await lend(host, "search_files", { pattern: "greet" })).text, /^src\/greet\.ts:\d+: /m);
	}));

test("closed and outside paths are refused to another agent too", (t) =>
	withHost(t, [], async ({ host, world }) => {
		for (const path of [world.outside, world.links.file, "..", join(String(world.env.HOME), ".ssh/id_rsa")]) {
			const refused = await lend(host, "read_file", { path });
			assert.deepEqual([refused.ok, /outside|out of|blocked|secret/i.test(refused.text)], [false, true], refused.text);
		}
	}));

test("another agent cannot read what the verdict on a call refuses, and gets the reason", (t) =>
	withHost(t, [], async ({ host, world }) => {
		const { text } = await lend(host, "read_file", { path: world.outside });
		assert.equal(text, say("read-outside", { path: world.outside }).text);
	}));

test("another agent gets no tool that writes or runs, and a clear message about bad arguments", (t) =>
	withHost(t, [], async ({ host }) => {
		await assert.rejects(host.request(toolLend, { tool: "apply_patch" as LentTool, arguments: "{}" }), /tool/);
		assert.deepEqual(await lend(host, "read_file", { path: 1 }), {
			ok: false,
			text: "Bad arguments for read_file: ✖ Invalid input: expected string, received number\n  → at path",
		});
	}));

test("another agent gets at most 40,000 characters at a time, and is told how many are missing", (t) =>
	withHost(t, [], async ({ host, world }) => {
		const line = "x".repeat(1_000);
		writeFileSync(join(world.workspace, "long.txt"), `${line}\n`.repeat(100));
		const { ok, text } = await lend(host, "read_file", { path: "long.txt" });
		assert.deepEqual([ok, /\n\[\d+ more characters\]$/.test(text), text.length < 40_100], [true, true, true]);
	}));
