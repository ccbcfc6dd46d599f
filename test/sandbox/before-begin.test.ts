import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import type { TimeLimit } from "../../agent-host/sandbox/backend.ts";
import { commandEnvironment } from "../../agent-host/sandbox/command/command-environment.ts";
import { identifyLaunch } from "../../agent-host/sandbox/command/launch-identity.ts";
import { createProcesses } from "../../agent-host/sandbox/command/processes.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { eventually } from "../host/rig/files.ts";
import { childrenOf, describeProcess, isRunning } from "../host/rig/processes.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-before-"));
const fixture = makeFixture(parent, process.getuid?.() ?? 0);
const { workspace } = fixture;
const sandbox = createSandbox({ home: fixture.own, path: process.env.PATH, folders: [workspace] });
const processes = createProcesses(sandbox);
const never = new AbortController().signal;
const held = { sandbox: { text: "as the test says" }, containment: "sandboxed" } as const;
const ran = join(workspace, "ran");
after(async () => {
	await processes.close();
	rmSync(parent, { recursive: true, force: true });
});
beforeEach(() => rmSync(ran, { force: true }));

const CONTAINED = policyFor(fixture, {});
/** In each of these ways, a command is started differently. */
const POLICIES: Readonly<Record<string, Policy>> = {
	"in its sandbox": CONTAINED,
	"with some sites allowed": { ...CONTAINED, network: { kind: "allow", hosts: ["example.org"] } },
	"without a sandbox": { ...CONTAINED, noSandbox: "bwrap-missing" },
};

function request(policy: Policy, script = `touch ${ran}`) {
	return {
		argv: ["/bin/sh", "-c", script],
		cwd: workspace,
		policy,
		digest: digestPolicy(policy),
		environment: process.env,
	};
}

function run(policy: Policy, before?: () => Promise<void>) {
	return processes.run("thread", request(policy), { held, timeoutMs: undefined, yieldMs: undefined, before }, never);
}

/** Longer than a sandbox takes to be set up: another command runs in one from beginning to end. */
async function runAnother(): Promise<void> {
	const other = request(CONTAINED, "exit 0");
	assert.equal(
		(await processes.run("other", other, { held, timeoutMs: undefined, yieldMs: undefined }, never)).state,
		"ended",
	);
}

for (const [how, policy] of Object.entries(POLICIES)) {
	test(`a command ${how} begins only when what comes before it is done`, async () => {
		let hadRun: boolean | undefined;
		const report = await run(policy, async () => {
			await runAnother();
			hadRun = existsSync(ran);
		});
		assert.deepEqual([report.state, hadRun, existsSync(ran)], ["ended", false, true]);
	});

	test(`a command ${how} never begins if what comes before it fails, and nothing of it stays`, async () => {
		const failing = run(policy, async () => {
			await runAnother();
			throw new Error("the disk is full");
		});
		await assert.rejects(failing, /the disk is full/);
		assert.deepEqual([existsSync(ran), processes.owners()], [false, []]);
		const kept = readdirSync(join(fixture.own, "sandbox")).filter((name) => name.startsWith("placeholders"));
		assert.deepEqual(kept, []);
		assert.equal((await run(policy)).state, "ended", "and the next one runs");
	});

	test(`a command ${how} does not begin if what was approved is replaced at the last moment`, async () => {
		const program = join(workspace, "tool.sh");
		writeFileSync(program, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
		const asked = { ...request(policy), argv: [program] };
		const environment = commandEnvironment(asked.environment, policy, workspace, undefined);
		const { digest: approved } = identifyLaunch(asked.argv, workspace, environment, policy);
		const before = async () => {
			await runAnother();
			utimesSync(program, 1, 1);
		};
		const options = { held, timeoutMs: undefined, yieldMs: undefined, before };
		const report = await processes.run("thread", { ...asked, approved }, options, never);
		assert.ok(report.state === "refused" && /changed after the approval/.test(report.reason), JSON.stringify(report));
		assert.equal(existsSync(ran), false);
	});

	test(`the clock of a command ${how} stands still until what comes before it is done`, async () => {
		let [isStarted, isPaused] = [false, false];
		const seen: boolean[] = [];
		const timeLimit: TimeLimit = {
			start: () => {
				isStarted = true;
			},
			pauseFor: async (wait) => {
				isPaused = true;
				const result = await wait();
				isPaused = false;
				return result;
			},
			extend: () => undefined,
			end: () => undefined,
		};
		const before = async () => {
			await runAnother();
			seen.push(isStarted && !isPaused);
		};
		const limits = { timeoutMs: 60_000, outputBytes: 1_000 };
		const started = await sandbox.start(request(policy), {
			streams: "kept",
			input: "closed",
			limits,
			timeLimit,
			before,
		});
		seen.push(isStarted && !isPaused);
		assert.ok(started.state === "running");
		assert.deepEqual([(await started.ended).state, seen], ["ended", [false, true]]);
	});
}

/**
 * A host that says when its second command is held back, and keeps it so. The first one leaves a shell for it, or
 * a sandbox.
 */
const HOST = `
	import { setImmediate } from "node:timers/promises";
	import { digestPolicy } from "${import.meta.resolve("../../agent-host/permissions/policy/policy.ts")}";
	import { createSandbox } from "${import.meta.resolve("../../agent-host/sandbox/sandbox.ts")}";
	import { childrenOf, isSetUp } from "${import.meta.resolve("../host/rig/processes.ts")}";
	const { home, cwd, policy, script, waits } = JSON.parse(process.argv[1]);
	const sandbox = createSandbox({ home, path: process.env.PATH, folders: [cwd] });
	const digest = digestPolicy(policy);
	const request = (text) => ({ argv: ["/bin/sh", "-c", text], cwd, policy, digest, environment: process.env });
	const options = { limits: policy.limits, streams: "kept", input: "closed" };
	await sandbox.run(request("exit 0"), options, new AbortController().signal);
	const isThere = {
		"": () => true,
		shell: () => childrenOf(process.pid).length > 0,
		sandbox: () => childrenOf(process.pid).flatMap(childrenOf).some(isSetUp),
	};
	while (!isThere[waits]()) await setImmediate();
	const before = async () => {
		await sandbox.run(request("exit 0"), options, new AbortController().signal);
		console.log("held back");
		await new Promise(() => setInterval(() => undefined, 1_000));
	};
	await sandbox.start(request(script), { ...options, before });
`;

/** While a command runs, an empty folder takes the place of a repository there; its sandbox is not set up before. */
const bare = join(fixture.folder, "bare");
mkdirSync(bare);
const WITH_BARE: Policy = { ...CONTAINED, filesystem: [...CONTAINED.filesystem, { path: bare, access: "write" }] };

const HELD: Readonly<Record<string, { readonly policy: Policy; readonly waits: "" | "shell" | "sandbox" }>> = {
	"in its sandbox": { policy: CONTAINED, waits: "" },
	"in a shell that waited for it": { policy: WITH_BARE, waits: "shell" },
	"in a sandbox that was set up before": { policy: CONTAINED, waits: "sandbox" },
	"with some sites allowed": { policy: POLICIES["with some sites allowed"] ?? CONTAINED, waits: "" },
};

for (const [how, { policy, waits }] of Object.entries(HELD)) {
	test(`a command ${how} never begins if the host is killed while it is held back, and nothing waits on`, async () => {
		const facts = JSON.stringify({ home: fixture.own, cwd: workspace, policy, waits, script: `touch ${ran}` });
		const host = spawn(process.execPath, ["--input-type=module", "-e", HOST, facts], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		await new Promise((resolve) => host.stdout.once("data", resolve));
		const theirs = childrenOf(host.pid ?? assert.fail()).flatMap((pid) => [pid, ...childrenOf(pid)]);
		assert.ok(theirs.length > 1, "a sandbox");
		host.kill("SIGKILL");
		await eventually(
			() => theirs.filter(isRunning).length === 0,
			10_000,
			"it waits on",
			() => theirs.map(describeProcess),
		);
		assert.equal(existsSync(ran), false);
	});
}
