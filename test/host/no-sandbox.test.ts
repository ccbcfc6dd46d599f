import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { hostDoctor } from "../../agent-host/protocol/host/health.ts";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { policyShow } from "../../agent-host/protocol/thread/context.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { findCause } from "../../agent-host/sandbox/linux/find-cause.ts";
import { readMachineFacts } from "../../agent-host/sandbox/linux/machine-facts.ts";
import type { World } from "../support/canaries.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, HOST_BUNDLE, runTurn } from "../support/host-process.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { withWorld } from "./rig/with-host.ts";
import { aHostWithout, plantReal, WITHOUT } from "./rig/without-sandbox.ts";

/** A bubblewrap that claims to support everything, and runs the command without containing it. */
const LIAR = `#!/bin/sh
case "$1" in --help) echo --perms --clearenv --args --seccomp --json-status-fd --remount-ro --ro-bind-try --argv0; exit;; esac
while [ "$1" != -- ]; do shift; done; shift; exec "$@"
`;

function plantLiar(world: World): string {
	return `${plant(world, "planted", LIAR)}:${process.env.PATH}`;
}

/** A folder with a bubblewrap that is this script. */
function plant(world: World, name: string, script: string): string {
	const folder = join(world.root, name);
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "bwrap"), script);
	chmodSync(join(folder, "bwrap"), 0o755);
	return folder;
}

/** Bubblewrap as it fails where users may make no namespaces, where it is too old, and where /proc cannot be mounted. */
const BROKEN = {
	"no-user-namespaces": 'echo "bwrap: No permissions to create new namespace" >&2; exit 1',
	"no-proc": `echo "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" >&2; exit 1`,
	"bwrap-too-old": "exit 0",
};

function brokenBwrap(code: keyof typeof BROKEN): string {
	const options = LIAR.split("\n")[1] ?? "";
	const help = code === "bwrap-too-old" ? options.replace("--perms --clearenv", "") : options;
	return `#!/bin/sh\n${help}\n${BROKEN[code]}\n`;
}

const CLAIMS = /in a sandbox|runs? in the sandbox|a sandbox enforces/i;
const COMMAND_TOOLS = ["run_command", "write_command_input", "stop_command"];

/** What a request says: its instructions, tools and words, without what the user and the model have said. */
function wordsOf(request: RecordedRequest): string {
	const { instructions = "", tools, input } = bodyOf(request);
	const told = input.filter(({ role }) => role === "developer" || role === "user");
	return JSON.stringify([instructions, tools, told]);
}

function toolTextIn(request: RecordedRequest): string {
	return JSON.stringify(bodyOf(request).tools);
}

function commandToolsIn(request: RecordedRequest): readonly string[] {
	const names = bodyOf(request).tools.map(({ name }) => String(name));
	return COMMAND_TOOLS.filter((name) => names.includes(name));
}

test("without a sandbox no command runs unasked, and the user is told once, with the fix (S-34)", (t) => {
	const touch = () => calls("run_command", { command: "echo ran > ran.txt" });
	const script = [touch(), touch(), says("ok"), touch(), says("ok")];
	// This client cannot ask anybody.
	return withWorld(t, { script }, async ({ another, model, world }) => {
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
		const told = outputs.filter((output) => /^The user denied this\./.test(output));
		assert.equal(told.length >= 3, true, outputs.join("\n"));
		assert.ok(!existsSync(join(world.workspace, "ran.txt")));
	});
});

test("without a sandbox the command line runs no command either, and exits with 125 (S-34)", (t) =>
	withWorld(t, {}, async ({ world }) => {
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
			assert.match(
				stderr,
				/The command did not run, because this policy needs a sandbox\. Bubblewrap .*, so there is no sandbox for commands\./,
			);
		}
		assert.ok(!existsSync(join(world.workspace, "ran.txt")));
	}));

for (const code of ["bwrap-missing", ...(Object.keys(BROKEN) as (keyof typeof BROKEN)[])] as const) {
	test(`without a sandbox (${code}) no text claims that commands run in one`, (t) =>
		withWorld(t, { script: () => says("ok") }, async ({ another, model, world }) => {
			const folder = code === "bwrap-missing" ? "" : `${plant(world, "planted", brokenBwrap(code))}:`;
			const env = { ...world.env, PATH: `${folder}${process.env.PATH}` };
			const host = await another({ program: aHostWithout(world), env });
			const threadId = await aThread(host);
			const shown = await host.request(policyShow, { threadId });
			assert.deepEqual([shown.sandbox, shown.commands, shown.compiled], ["none", true, undefined]);
			assert.match(shown.name, /, no sandbox/);
			assert.doesNotMatch(shown.words.map(({ message }) => message).join("\n"), CLAIMS);
			await runTurn(host, threadId, "Look.");
			const request = model.requests[0] ?? assert.fail();
			assert.deepEqual(commandToolsIn(request), COMMAND_TOOLS);
			assert.doesNotMatch(wordsOf(request), CLAIMS);
			assert.match(
				wordsOf(request),
				/each command needs the user's approval and runs with the user's rights\..*To get a sandbox/,
			);
			assert.match(wordsOf(request), /Permission mode: no sandbox on this machine/);
			const { sandbox, probe } = await host.request(hostStatus, { check: "sandbox" });
			// The rest depends on this machine.
			const cause = findCause(code, readMachineFacts());
			assert.deepEqual([sandbox?.kind, sandbox?.problem?.code, probe], ["none", cause.code, undefined]);
			const { checks } = await host.request(hostDoctor, {});
			const found = checks.find(({ name }) => name === "Sandbox");
			assert.equal(found?.state, "problem");
			assert.match(found?.lines[0]?.message ?? "", /, so there is no sandbox for commands\./);
			assert.deepEqual(
				host.received.warnings.map((warning) => [warning.code, warning.command]),
				[[cause.code, cause.command]],
			);
		}));
}

test("a sandbox that appears or disappears between turns is told in one diff each, and the tools follow it", (t) => {
	const run = () => calls("run_command", { command: "echo it ran" });
	const script = [says("one"), run(), says("two"), run(), says("three")];
	return withWorld(t, { script }, async ({ another, model, world }) => {
		const bin = join(world.root, "bin");
		mkdirSync(bin);
		const env = { ...world.env, PATH: `${bin}:${process.env.PATH}` };
		const asked: unknown[] = [];
		const approve = ({ subject, digest }: ApprovalRequest) => {
			asked.push(subject.kind === "command" && subject.containment);
			return { decision: "allow" as const, digest };
		};
		const host = await another({ program: aHostWithout(world), env, approve });
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Look.");
		plantReal(world, "bin");
		await runTurn(host, threadId, "Run it.");
		assert.equal((await host.request(hostStatus, {})).sandbox?.kind, "bubblewrap");
		rmSync(join(bin, "bwrap"));
		await runTurn(host, threadId, "Run it again.");
		const outputs = [2, 4].map((index) => inputLines(model.requests[index] ?? assert.fail()).at(-1) ?? "");
		assert.match(outputs[0] ?? "", /Exit code 0 .*it ran/);
		assert.match(outputs[1] ?? "", /Exit code 0 .*it ran/);
		assert.deepEqual(
			model.requests.map((request) =>
				/This machine has no sandbox, so the user may be asked/.test(toolTextIn(request)),
			),
			[true, false, false, true, true],
		);
		assert.deepEqual(asked, ["none"]);
		const updates = host.events(threadId).flatMap(({ event }) => (event.type === "contextUpdated" ? [event] : []));
		assert.deepEqual(
			updates.map(({ fragments }) => fragments.map(({ kind }) => kind)),
			[
				["permissions", "environment"],
				["permissions", "environment"],
				["permissions", "environment"],
			],
		);
		assert.deepEqual(
			host.received.warnings.map(({ code }) => code),
			["bwrap-missing", "bwrap-missing"],
		);
		matchesRequests("sandbox-comes-and-goes", model, world, ["without", "with", "its end", "gone", "its end without"]);
	});
});

test("a bubblewrap that stops working in mid-thread is noticed at the next turn", (t) => {
	const run = () => calls("run_command", { command: "true" });
	return withWorld(t, { script: [run(), says("one"), run(), says("two"), run(), says("three")] }, async (test) => {
		const { another, model, world } = test;
		const asked: unknown[] = [];
		const approve = ({ subject, digest }: ApprovalRequest) => {
			asked.push(subject.kind === "command" && subject.containment);
			return { decision: "deny" as const, digest };
		};
		const broken = join(world.root, "broken");
		const real = plantReal(world, "real");
		const wrapper = `#!/bin/sh\n[ -e ${broken} ] && { ${BROKEN["no-user-namespaces"]}; }\nexec ${join(real, "bwrap")} "$@"\n`;
		const folder = plant(world, "bin", wrapper);
		const env = { ...world.env, PATH: `${folder}:${process.env.PATH}` };
		const host = await another({ program: aHostWithout(world), env, approve });
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Run it.");
		writeFileSync(broken, "");
		await runTurn(host, threadId, "Run it.");
		assert.match(inputLines(model.requests[3] ?? assert.fail()).at(-1) ?? "", /did not run/);
		assert.deepEqual(asked, [], "this turn was sealed with a sandbox, so nothing runs without one");
		await runTurn(host, threadId, "Run it.");
		assert.deepEqual(asked, ["none"]);
	});
});

test("where no command is offered, plan and review mode do not mention commands", (t) => {
	const script = ["Plan.", "Reviewed.", "Done."].map((text) => says(text));
	return withWorld(t, { script }, async ({ another, model, world }) => {
		const host = await another({ program: aHostWithout(world) });
		const threadId = await aThread(host, { settings: { approval: "never" } });
		for (const collaboration of ["plan", "review", "default"] as const) {
			await host.request(threadSettings, { threadId, settings: { modes: { collaboration } } });
			await runTurn(host, threadId, "Go.");
		}
		const [last = assert.fail()] = model.requests.slice(-1);
		for (const request of model.requests)
			assert.ok(!bodyOf(request).tools.some(({ name = "" }) => COMMAND_TOOLS.includes(name)), "commands are offered");
		const modes = inputLines(last).filter((line) => line.includes("collaboration-mode"));
		assert.equal(modes.length, 3);
		assert.doesNotMatch(modes.join(), /command/);
		matchesRequests("modes-without-commands", model, world, ["plan", "review", "act"]);
	});
});
