import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/turn.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess } from "../support/host-process.ts";
import { shareHost } from "./rig/share-host.ts";

const withShared = shareHost({});
const CHARS = 99_000;

/** Calls that once kept the host from hearing anything else. */
const CALLS: Readonly<Record<string, readonly [tool: string, args: object]>> = {
	"spaces after cd": ["run_command", { command: `cd a${" ".repeat(CHARS)}`, yieldMs: 60_000 }],
	"many folders to delete in": ["run_command", { command: "cd a;rm -r b;".repeat(CHARS / 13) }],
	"a patch of repeated lines": [
		"apply_patch",
		{ patch: `*** Begin Patch\n*** Update File: same.txt\n@@\n${" a\n".repeat(CHARS / 6)}-b\n*** End Patch` },
	],
	"a pattern with many stars": ["list_files", { pattern: `${"*a".repeat(200)}b` }],
	"ignored names with many stars": ["list_files", { path: "deep" }],
};

/** Milliseconds until an interrupt is answered that comes with the first sign of a turn's call. */
async function stop(host: HostProcess): Promise<number> {
	const threadId = await aThread(host);
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "x" }] });
	await host.waitFor(threadId, (event) => event.type === "itemStarted" || event.type === "itemCompleted");
	const began = performance.now();
	await host.request(turnInterrupt, { threadId });
	const took = performance.now() - began;
	await endOfTurn(host, threadId, turnId);
	return took;
}

/** How many times longer it may take than for a command that only waits; what was wrong took a thousand times as long. */
const MOST_TIMES = 20;

for (const [kind, [tool, args]] of Object.entries(CALLS)) {
	test(`Stop is answered as soon as ever while a call with the worst of its kind is worked on: ${kind}`, (t) => {
		const waits = calls("run_command", { command: "sleep 300" });
		return withShared(t, [waits, waits, calls(tool, args), says("done")], async ({ host, world }) => {
			writeFileSync(join(world.workspace, "same.txt"), "a\n".repeat(100_000));
			mkdirSync(join(world.workspace, "deep", ...Array.from({ length: 40 }, () => "a")), { recursive: true });
			writeFileSync(join(world.workspace, "deep/.gitignore"), `${"**/a/".repeat(12)}b\n`);
			// The first command of a host also looks for its sandbox.
			await stop(host);
			const usual = await stop(host);
			const took = await stop(host);
			t.diagnostic(`answered after ${took.toFixed(1)} ms, usually ${usual.toFixed(1)} ms`);
			assert.ok(took < MOST_TIMES * usual, `${took} ms instead of ${usual} ms`);
		});
	});
}
