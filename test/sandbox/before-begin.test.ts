import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
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
import { allProcesses, commandLine, describeProcess, isRunning } from "../host/rig/processes.ts";
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

/** A host that says when its second command is held back, and keeps it so. The first one leaves a shell for it. */
const HOST = `
	import { readFileSync } from "node:fs";
	import { setImmediate } from "node:timers/promises";
	import { digestPolicy } from "${import.meta.resolve("../../agent-host/permissions/policy/policy.ts")}";
	import { createSandbox } from "${import.meta.resolve("../../agent-host/sandbox/sandbox.ts")}";
	const { home, cwd, policy, script, waits } = JSON.parse(process.argv[1]);
	const sandbox = createSandbox({ home, path: process.env.PATH, folders: [cwd] });
	const digest = digestPolicy(policy);
	const request = (text) => ({ argv: ["/bin/sh", "-c", text], cwd, policy, digest, environment: process.env });
	const options = { limits: policy.limits, streams: "kept", input: "closed" };
	await sandbox.run(request("exit 0"), options, new AbortController().signal);
	const children = "/proc/self/task/" + process.pid + "/children";
	while (waits && readFileSync(children, "utf8") === "") await setImmediate();
	const before = async () => {
		await sandbox.run(request("exit 0"), options, new AbortController().signal);
		console.log("held back");
		await new Promise(() => setInterval(() => undefined, 1_000));
	};
	await sandbox.start(request(script), { ...options, before });
`;

const HELD: Readonly<Record<string, { readonly policy: Policy; readonly waits: boolean }>> = {
	"in its sandbox": { policy: CONTAINED, waits: false },
	"in a shell that waited for it": { policy: CONTAINED, waits: true },
	"with some sites allowed": { policy: POLICIES["with some sites allowed"] ?? CONTAINED, waits: false },
};

for (const [how, { policy, waits }] of Object.entries(HELD)) {
	test(`a command ${how} never begins if the host is killed while it is held back, and nothing waits on`, async () => {
		const facts = JSON.stringify({ home: fixture.own, cwd: workspace, policy, waits, script: `touch ${ran}` });
		const host = spawn(process.execPath, ["--input-type=module", "-e", HOST, facts], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		const theirs = () => allProcesses().filter((pid) => pid !== host.pid && commandLine(pid).includes(`touch ${ran}`));
		await new Promise((resolve) => host.stdout.once("data", resolve));
		assert.notDeepEqual(theirs(), []);
		host.kill("SIGKILL");
		await eventually(
			() => theirs().filter(isRunning).length === 0,
			10_000,
			"it waits on",
			() => theirs().map(describeProcess),
		);
		assert.equal(existsSync(ran), false);
	});
}
