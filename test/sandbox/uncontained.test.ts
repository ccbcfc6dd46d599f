import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { uncontainedPolicy } from "../../agent-host/permissions/reach/escalate.ts";
import type { CommandRequest, StartOptions } from "../../agent-host/sandbox/backend.ts";
import { commandEnvironment } from "../../agent-host/sandbox/command/command-environment.ts";
import { identifyLaunch } from "../../agent-host/sandbox/command/launch-identity.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { aPolicy } from "../support/a-policy.ts";
import { inFairTime } from "../support/fair-time.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-uncontained-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** There is no bubblewrap on this PATH. */
const sandbox = createSandbox({ home: join(folder, "home"), path: join(folder, "nowhere"), folders: [] });
const never = new AbortController().signal;
const POLICY = uncontainedPolicy({ ...aPolicy(), noSandbox: "bwrap-missing" });
const HOST = { PATH: process.env.PATH, HOME: folder, API_TOKEN: "canary", VSCODE_IPC_HOOK: "canary" };

function request(script: string, changes: Partial<CommandRequest> = {}): CommandRequest {
	const policy: Policy = changes.policy ?? POLICY;
	const argv = ["/bin/sh", "-c", script];
	return { argv, cwd: folder, policy, digest: digestPolicy(policy), environment: HOST, ...changes };
}

function run(asked: CommandRequest, limits: Partial<StartOptions["limits"]> = {}, signal = never) {
	const options = { limits: { ...POLICY.limits, ...limits }, streams: "kept", input: "closed" } as const;
	return sandbox.run(asked, options, signal);
}

async function outputOf(script: string): Promise<string> {
	const end = await run(request(script));
	assert.ok(end.state === "ended", JSON.stringify(end));
	return end.output.text;
}

async function codeOf(asked: CommandRequest): Promise<string> {
	const end = await run(asked);
	return end.state === "refused" ? end.code : end.state;
}

test("only a policy sealed without a sandbox lets a command run without one", async () => {
	const contained = aPolicy({ places: { roots: [folder] } });
	assert.equal(await codeOf(request("true", { policy: contained })), "sandbox-unavailable");
	// The digest is the one of the policy that was sealed.
	const forged = { ...contained, noSandbox: "bwrap-missing" as const };
	assert.equal(await codeOf(request("true", { policy: forged, digest: digestPolicy(contained) })), "policy-changed");
	assert.equal(await codeOf(request("true")), "ended");
});

test("a command leads its own session and group, away from the host's", async () => {
	const [pid, group, session] = (await outputOf("ps -o pid=,pgid=,sid= -p $$")).trim().split(/\s+/);
	assert.deepEqual([group, session], [pid, pid]);
});

test("a command gets the variables that the policy passes on, and no secret of the host", async () => {
	const names = (await outputOf("env")).split("\n").map((line) => line.split("=")[0]);
	assert.ok(names.includes("PATH") && names.includes("HOME"));
	assert.ok(!names.includes("API_TOKEN") && !names.includes("VSCODE_IPC_HOOK") && !names.includes("HTTP_PROXY"));
});

test("a command's exit code and signal are reported", async () => {
	const [coded, killed] = [await run(request("exit 7")), await run(request("kill -SEGV $$"))];
	assert.deepEqual([coded.state === "ended" && coded.exitCode], [7]);
	assert.deepEqual(killed.state === "ended" && [killed.exitCode, killed.signal], [139, "SIGSEGV"]);
});

test("folder and program are checked before a command starts", async () => {
	assert.equal(await codeOf(request("true", { cwd: join(folder, "gone") })), "bad-cwd");
	assert.equal(await codeOf(request("true", { argv: ["no-such-program-here"] })), "no-such-program");
	assert.equal(await codeOf(request("true", { argv: ["true\0"] })), "no-such-program");
});

test("only the approved program starts: a replaced one does not", async () => {
	const program = join(folder, "tool");
	const write = (text: string) => writeFileSync(program, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
	write("exit 0");
	const approved = identifyLaunch([program], folder, commandEnvironment(HOST, POLICY, folder), POLICY).digest;
	const asked = request("", { argv: [program], approved });
	assert.equal(await codeOf(asked), "ended");
	write("exit 0 # another");
	assert.equal(await codeOf(asked), "approval-outdated");
});

test("a command's whole group ends with it, at its time limit and when it is stopped", async () => {
	const left = (name: string) => `sleep 31415 & echo $! > ${name}`;
	assert.equal((await run(request(left("ended")))).state, "ended");
	const late = await run(request(`${left("late")}; wait`), { timeoutMs: 300 });
	assert.deepEqual([late.state, late.state === "stopped" && late.by], ["stopped", "time"]);
	const stop = new AbortController();
	const running = run(request(`${left("stopped")}; wait`), {}, stop.signal);
	await inFairTime(
		() => readPid("stopped") > 0,
		5_000,
		() => "It has not started.",
	);
	stop.abort();
	const end = await running;
	assert.deepEqual([end.state, end.state === "stopped" && end.by], ["stopped", "user"]);
	for (const name of ["ended", "late", "stopped"]) {
		const pid = readPid(name);
		assert.ok(pid > 1);
		await inFairTime(
			() => isGone(pid),
			5_000,
			() => `What ${name} left still runs.`,
		);
	}
});

test("the middle of long output is left out, as in a sandbox", async () => {
	const end = await run(request("yes | head -c 3000000"), { outputBytes: 1_000 });
	assert.ok(end.state === "ended");
	assert.equal(end.output.bytes, 3_000_000);
	assert.ok(end.output.dropped > 2_900_000);
});

function readPid(name: string): number {
	const path = join(folder, name);
	return existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
}

/** A process that ended but was not collected by its parent is gone too. */
function isGone(pid: number): boolean {
	try {
		return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return true;
	}
}
