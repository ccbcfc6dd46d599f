import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { tryReadlink } from "../../agent-host/sandbox/protect/try-readlink.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { eventually } from "../host/rig/files.ts";
import { allProcesses, commandLine, describeProcess, isRunning, statOf } from "../host/rig/processes.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-waiting-"));
const fixture = makeFixture(parent, process.getuid?.() ?? 0);
const policy = policyFor(fixture, {});
after(() => rmSync(parent, { recursive: true, force: true }));

/** No command has run in it yet, so no shell waits for its first one. */
const sandbox = createSandbox({ home: fixture.own, path: process.env.PATH, folders: [fixture.workspace] });

async function run(argv: readonly string[], change: Partial<Policy> = {}) {
	const used = { ...policy, ...change };
	const request = { argv, cwd: fixture.workspace, policy: used, digest: digestPolicy(used), environment: process.env };
	const options = { limits: used.limits, streams: "kept", input: "closed" } as const;
	const ended = await sandbox.run(request, options, new AbortController().signal);
	assert.ok(ended.state === "ended", JSON.stringify(ended));
	return ended;
}

/** The shells that wait for a command of a host and have its files open: other sandboxes have theirs. */
function waitingFor(host: number): readonly number[] {
	const isWaiting = (pid: number) =>
		statOf(pid)?.[1] === String(host) &&
		commandLine(pid).includes("read -r _ <&6") &&
		tryReadlink(`/proc/${pid}/fd/8`)?.startsWith(fixture.own);
	return allProcesses().filter(isWaiting);
}

/** The shell of the next command. */
async function nextShell(): Promise<number> {
	await eventually(() => waitingFor(process.pid).length === 1, 5_000, "no shell waits");
	return waitingFor(process.pid)[0] ?? assert.fail();
}

/** What a command can find out about how it was started. */
const LOOK = [
	"pwd; umask; ulimit -aS; ulimit -aH; env | sort",
	"for fd in /proc/self/fd/*; do echo $fd $(readlink $fd | tr -d 0-9); done",
	"grep -E '^(Sig|Cap|NoNewPrivs|Seccomp|Uid|Gid|Groups)' /proc/self/status | grep -v SigQ",
	"readlink /proc/1/exe; tr '\\0' ' ' < /proc/$$/cmdline; echo $PPID $$",
].join("; ");

test("a command started in a waiting shell starts exactly as one without", async () => {
	const first = await run(["/bin/bash", "-c", LOOK]);
	const shell = await nextShell();
	const second = await run(["/bin/bash", "-c", LOOK]);
	assert.equal(isRunning(shell), false, "it became the command's bubblewrap");
	assert.equal(second.output.text, first.output.text);
	assert.match(first.output.text, /^\/proc\/self\/fd\/2 /m);
	assert.doesNotMatch(first.output.text, /^\/proc\/self\/fd\/[4-9]/m);
});

test("the next shell starts after a short command has ended, or while a long one runs", async ({ mock }) => {
	const startsAfter = async (ms: number): Promise<void> => {
		mock.timers.tick(ms - 1);
		await setImmediate();
		assert.deepEqual(waitingFor(process.pid), [], `before ${ms} ms`);
		mock.timers.tick(1);
		mock.timers.reset();
		await nextShell();
	};
	await nextShell();
	mock.timers.enable({ apis: ["setTimeout"] });
	await run(["/bin/true"]);
	await startsAfter(50);
	const told = join(fixture.workspace, "told");
	execFileSync("mkfifo", [told]);
	mock.timers.enable({ apis: ["setTimeout"] });
	const running = run(["/bin/sh", "-c", `read -r _ < ${told}`]);
	while (waitingFor(process.pid).length > 0) await setImmediate();
	await startsAfter(500);
	// Opened only once the command reads it, which it does not before this process has let it begin.
	await writeFile(told, "\n");
	await running;
	rmSync(told);
});

test("a waiting shell passes on the given arguments, to the byte", async () => {
	const words = ["it's '' \\' $(touch planted) `x` \n", "日本語 🙂 ĀāĂă", "", "-n", "a\\b"];
	await nextShell();
	const { output } = await run(["/usr/bin/printf", "%s|", ...words]);
	assert.equal(output.text, words.map((word) => `${word}|`).join(""));
});

test("limits that changed while the shell waited apply, and cannot be lifted", async () => {
	for (const fileBytes of [1_048_576, 512 * 77]) {
		await nextShell();
		const limits = { ...policy.limits, fileBytes };
		const script = "ulimit -f unlimited 2>/dev/null; head -c 3000000 /dev/zero > big; stat -c %s big; rm big";
		const ended = await run(["/bin/bash", "-c", script], { limits });
		assert.match(ended.output.text, new RegExp(`^${fileBytes}$`, "m"));
	}
	await nextShell();
	const free = await run(["/bin/bash", "-c", "ulimit -f"], { limits: { ...policy.limits, fileBytes: 0 } });
	assert.equal(free.output.text, "unlimited\n");
});

test("a command runs although its waiting shell was killed", async () => {
	process.kill(await nextShell(), "SIGKILL");
	await eventually(() => waitingFor(process.pid).length === 0, 5_000, "it waits on");
	assert.equal((await run(["/bin/echo", "ran"])).output.text, "ran\n");
});

/** A host that runs one command, names the shell that waits for the next, and ends. */
const HOST = `
	import { digestPolicy } from "${import.meta.resolve("../../agent-host/permissions/policy/policy.ts")}";
	import { createSandbox } from "${import.meta.resolve("../../agent-host/sandbox/sandbox.ts")}";
	const { home, cwd, policy, end } = JSON.parse(process.argv[1]);
	const sandbox = createSandbox({ home, path: process.env.PATH, folders: [cwd] });
	const request = { argv: ["/bin/true"], cwd, policy, digest: digestPolicy(policy), environment: process.env };
	const options = { limits: policy.limits, streams: "kept", input: "closed" };
	await sandbox.run(request, options, new AbortController().signal);
	console.log("ran");
	if (end !== "itself") setInterval(() => undefined, 1_000);
`;

for (const end of ["itself", "SIGTERM", "SIGKILL"] as const) {
	test(`no shell keeps waiting for a host that is ended by ${end}, nor keeps it from ending`, async () => {
		const facts = JSON.stringify({ home: fixture.own, cwd: fixture.workspace, policy, end });
		const host = spawn(process.execPath, ["--input-type=module", "-e", HOST, facts], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		const pid = host.pid ?? assert.fail();
		const said = text(host.stdout);
		const ended = new Promise((resolve) => host.once("exit", resolve));
		let seen: readonly number[] = [];
		if (end !== "itself") {
			await eventually(() => waitingFor(pid).length === 1, 10_000, "no shell waits");
			seen = waitingFor(pid);
			host.kill(end);
		}
		await ended;
		if (end === "itself") assert.equal(await said, "ran\n");
		const left = () => [...seen.filter(isRunning), ...waitingFor(pid)];
		await eventually(
			() => left().length === 0,
			5_000,
			"it waits on",
			() => left().map(describeProcess),
		);
	});
}
