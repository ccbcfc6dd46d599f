import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { World } from "../support/canaries.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, COMPILE_CACHE, HOST_BUNDLE, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { withHost } from "./rig/with-host.ts";

/** Arguments that make a machine without its bubblewrap, for whatever follows them. */
const WITHOUT = ["--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap", "--die-with-parent", "--"];

/** A bubblewrap that says that it can do everything, and runs the command without containing it. */
const LIAR = `#!/bin/sh
case "$1" in --help) echo --perms --clearenv --args --seccomp --json-status-fd --remount-ro --ro-bind-try --argv0; exit;; esac
while [ "$1" != -- ]; do shift; done; shift; exec "$@"
`;

function aHostWithout(world: World): string {
	const program = join(world.root, "without.mjs");
	const args = JSON.stringify([...WITHOUT, process.execPath, HOST_BUNDLE, "--stdio", "--compile-cache", COMPILE_CACHE]);
	writeFileSync(program, `import{spawn}from"node:child_process";spawn("/usr/bin/bwrap",${args},{stdio:"inherit"});\n`);
	return program;
}

function plantLiar(world: World): string {
	const folder = join(world.root, "planted");
	mkdirSync(folder);
	writeFileSync(join(folder, "bwrap"), LIAR);
	chmodSync(join(folder, "bwrap"), 0o755);
	return `${folder}:${process.env.PATH}`;
}

test("without a sandbox no command runs: the user is told once, with the fix, and the model why (S-34)", (t) => {
	const touch = () => calls("run_command", { command: "echo ran > ran.txt" });
	const script = [touch(), touch(), says("ok"), touch(), says("ok")];
	return withHost(t, { script }, async ({ another, model, world }) => {
		const missing = await another({ program: aHostWithout(world) });
		await runTurn(missing, await aThread(missing), "Run it twice.");
		assert.deepEqual(
			missing.received.warnings.map(({ code, fix }) => [code, /apt install bubblewrap/.test(fix)]),
			[["bwrap-missing", true]],
		);
		const lying = await another({ program: aHostWithout(world), env: { ...world.env, PATH: plantLiar(world) } });
		await runTurn(lying, await aThread(lying), "Run it.");
		assert.deepEqual(
			lying.received.warnings.map(({ code }) => code),
			["bwrap-broken"],
		);
		const outputs = model.requests.flatMap((request) => bodyOf(request).input).map((item) => String(item.output ?? ""));
		const told = outputs.filter((output) =>
			/^sandbox-unavailable: .*so no command runs\. .*(?:Install|reinstall)/s.test(output),
		);
		assert.equal(told.length >= 3, true, outputs.join("\n"));
		assert.ok(!existsSync(join(world.workspace, "ran.txt")));
	});
});

test("without a sandbox the command line runs nothing either, and ends with 125 (S-34)", (t) =>
	withHost(t, {}, async ({ world }) => {
		const policy = join(world.root, "policy.json");
		writeFileSync(policy, JSON.stringify({ sandbox_mode: "workspace-write" }));
		const args = [HOST_BUNDLE, "sandbox", "--policy", policy, "--cwd", world.workspace, "--", "touch", "ran.txt"];
		for (const PATH of ["/usr/bin:/bin", plantLiar(world)]) {
			const env = { ...world.env, PATH, VITRINE_HOME: world.home };
			const { status, stderr } = spawnSync("/usr/bin/bwrap", [...WITHOUT, process.execPath, ...args], {
				env,
				encoding: "utf8",
			});
			assert.equal(status, 125, stderr);
			assert.match(stderr, /so no command runs\./);
		}
		assert.ok(!existsSync(join(world.workspace, "ran.txt")));
	}));
