import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
	chmodSync,
	closeSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readdirSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { createProcesses, MAX_BACKGROUND } from "../../agent-host/sandbox/command/processes.ts";
import { findCause } from "../../agent-host/sandbox/linux/find-cause.ts";
import { readMachineFacts } from "../../agent-host/sandbox/linux/machine-facts.ts";
import { probeHelper } from "../../agent-host/sandbox/linux/try-bwrap.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { eventually } from "../host/rig/files.ts";
import { allProcesses, commandLine, describeProcess, statOf } from "../host/rig/processes.ts";
import { inFairTime, settlesInFairTime } from "../support/fair-time.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-commands-"));
const fixture = makeFixture(parent, process.getuid?.() ?? 0);
const policy = policyFor(fixture, {});
const sandbox = createSandbox({ home: fixture.own, path: process.env.PATH, folders: [fixture.workspace] });
const processes = createProcesses(sandbox);
const never = new AbortController().signal;
const held = { sandbox: { text: "as the test says" }, containment: "sandboxed" } as const;
const environment = { ...process.env, HOME: fixture.home, TMPDIR: join(fixture.folder, "tmp") };

after(async () => {
	await processes.close();
	rmSync(parent, { recursive: true, force: true });
});

function request(script: string, change: Partial<Policy> = {}) {
	const changed = { ...policy, ...change };
	return {
		argv: ["/bin/bash", "-c", script],
		cwd: fixture.workspace,
		policy: changed,
		digest: digestPolicy(changed),
		environment,
	};
}

async function run(script: string, change: Partial<Policy> = {}, signal = never) {
	const report = await processes.run(
		"thread",
		request(script, change),
		{ held, timeoutMs: undefined, yieldMs: undefined },
		signal,
	);
	assert.notEqual(report.state, "refused", JSON.stringify(report));
	return report as Exclude<typeof report, { state: "refused" }>;
}

/** Processes of this machine whose command line holds a mark. */
function alive(mark: string): readonly number[] {
	return allProcesses().filter((pid) => pid !== process.pid && commandLine(pid).includes(mark));
}

/** All that a command has started is gone, as soon as the kernel gets to it. */
function waitUntilGone(mark: string): Promise<void> {
	return eventually(
		() => alive(mark).length === 0,
		2_000,
		"something outlives its command",
		() => alive(mark).map(describeProcess),
	);
}

test("a sandbox can be started here: without one this machine cannot show what is claimed below", async () => {
	assert.deepEqual(await sandbox.probe().then((probe) => probe.ok), true);
});

test("a command returns its exit code, its signal, and both streams in order", async () => {
	const ended = await run("echo one; echo two >&2; echo three > /dev/stdout; exit 7");
	assert.deepEqual(
		[ended.state, ended.state === "ended" && ended.exitCode, ended.output],
		["ended", 7, "one\ntwo\nthree\n"],
	);
	const killed = await run("kill -SEGV $$");
	assert.deepEqual(killed.state === "ended" && [killed.exitCode, killed.signal], [139, "SIGSEGV"]);
});

test("a policy that differs by one byte from the turn's sealed one runs nothing", async () => {
	const mark = join(fixture.workspace, "ran");
	const changed = { ...request(`: > ${mark}`), policy: { ...policy, network: { kind: "on" } as const } };
	const report = await processes.run("thread", changed, { held, timeoutMs: undefined, yieldMs: undefined }, never);
	assert.deepEqual([report.state, existsSync(mark)], ["refused", false]);
});

const ASK =
	"ask() { exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT %s HTTP/1.1\\r\\n\\r\\n' $1 >&3; read -r _ code _ <&3; echo $code; };";

test("refusals are reported for the right one of two commands, and each is alone in its network", async () => {
	const network = { kind: "allow", hosts: ["a.example"] } as const;
	const script = (own: string, others: string) =>
		`${ASK} ask ${own}.example:443; readlink /proc/self/ns/net; : > met-${own}; until test -e met-${others}; do sleep 0.01; done`;
	const [one, other] = await Promise.all([
		run(script("one", "other"), { network }),
		run(script("other", "one"), { network }),
	]);
	const refused = (name: string) => [{ host: `${name}.example:443`, reason: "not an allowed site" }];
	assert.deepEqual([one.refusedHosts, other.refusedHosts], [refused("one"), refused("other")]);
	for (const { output } of [one, other]) assert.match(output, /^403\nnet:\[\d+\]\n$/);
	assert.notEqual(one.output, other.output);
});

test("an unreadable line in a host list runs nothing, and is named", async () => {
	const network = { kind: "allow", hosts: ["a.example", "!*"] } as const;
	const report = await processes.run(
		"thread",
		request("true", { network }),
		{ held, timeoutMs: undefined, yieldMs: undefined },
		never,
	);
	assert.match(report.state === "refused" ? report.reason : "", /has an invalid entry, so commands can't run: !\*\./);
});

test("a stopped command with some hosts open ends in time and leaves nothing of its network", async () => {
	const network = { kind: "allow", hosts: ["a.example"] } as const;
	const abort = new AbortController();
	const mark = `3125${process.pid}`;
	const stopped = run(`sleep ${mark}`, { network }, abort.signal);
	await eventually(() => alive(mark).length > 0, 5_000, "the command does not begin");
	abort.abort();
	assert.equal((await stopped).state, "stopped");
	assert.deepEqual(alive(mark), []);
});

test("a command's write access does not depend on where it starts (S-26)", async () => {
	for (const cwd of ["/", fixture.folder, join(fixture.workspace, "way-out")]) {
		const report = await processes.run(
			"thread",
			{ ...request(`echo x > '${fixture.outside}/n'; echo x > n`), cwd },
			{ held, timeoutMs: undefined, yieldMs: undefined },
			never,
		);
		assert.equal(report.state === "ended" && report.exitCode, 1, cwd);
	}
	assert.ok(!existsSync(join(fixture.outside, "n")));
	const missing = await processes.run(
		"thread",
		{ ...request("true"), cwd: "/nonexistent" },
		{ held, timeoutMs: undefined, yieldMs: undefined },
		never,
	);
	assert.equal(missing.state, "refused");
});

test("a command that cannot be started is refused in words that do not blame the sandbox (R-47)", async () => {
	const busy = join(fixture.workspace, "busy");
	copyFileSync("/bin/true", busy);
	const writer = openSync(busy, "r+");
	const big = { ...policy.environment, set: { BIG: "x".repeat(3_000_000) } };
	const all = [
		[["no-such-program"], {}, /command not found/],
		[[""], {}, /empty/],
		[["/bin/echo", "a\0b"], {}, /NUL/],
		[["/bin/echo", "x".repeat(3_000_000)], {}, /too long for this system/],
		[["/bin/true"], { environment: big }, /could not be started: .*too long/],
	] as const;
	for (const [argv, change, words] of all) {
		const report = await processes.run(
			"thread",
			{ ...request("", change), argv },
			{ held, timeoutMs: undefined, yieldMs: undefined },
			never,
		);
		assert.equal(report.state === "refused" && report.code, "no-such-program", JSON.stringify(report).slice(0, 300));
		assert.match(report.state === "refused" ? report.reason : "", words);
	}
	const blocked = await processes.run(
		"thread",
		{ ...request(""), argv: [busy] },
		{ held, timeoutMs: undefined, yieldMs: undefined },
		never,
	);
	assert.ok(blocked.state === "ended", JSON.stringify(blocked));
	// What starts the command says in its place what went wrong: the shell that waits, or what sets its limits.
	assert.deepEqual([blocked.exitCode, /^(?:sh|prlimit): .*busy$/m.test(blocked.output)], [126, true], blocked.output);
	closeSync(writer);
	rmSync(busy);
});

test("a sandbox killed from outside is reported as the command's end by a signal, not as one that never began", async () => {
	const mark = `9999${process.pid}`;
	const ended = run(`sleep ${mark}`);
	// Bubblewrap, the first process of its sandbox, and the command.
	const isRunning = () => alive(mark).some((pid) => commandLine(pid).startsWith("sleep\0"));
	await eventually(isRunning, 5_000, "the command does not begin", () => alive(mark).map(describeProcess));
	const outermost = alive(mark).find((pid) => statOf(pid)?.[1] === String(process.pid)) ?? assert.fail();
	process.kill(outermost, "SIGKILL");
	const { state, ...how } = await ended;
	assert.deepEqual([state, "signal" in how && how.signal], ["ended", "SIGKILL"]);
	await waitUntilGone(mark);
});

test("the Git directories that a pointer file leads to are protected in every writable root (S-18)", async () => {
	const at = (path: string) => join(fixture.workspace, path);
	const other = join(fixture.folder, "other-root");
	for (const [path, text] of [
		[join(other, ".git"), `gitdir: ${at("store/repo/worktrees/x")}\n`],
		[at("store/repo/worktrees/x/commondir"), "../..\n"],
		[at("store/repo/hooks/pre-commit.sample"), ""],
	] as const) {
		mkdirSync(join(path, ".."), { recursive: true });
		writeFileSync(path, text);
	}
	const filesystem = [...policy.filesystem, { path: other, access: "write" as const }];
	const tries = [
		": > store/repo/hooks/pre-commit",
		": > store/repo/worktrees/x/config",
		"mv store moved",
		`: > '${other}/.git'`,
		": > store/beside",
	];
	const { output } = await run(tries.map((one) => `(${one}) 2>/dev/null; echo $?`).join("\n"), { filesystem });
	assert.deepEqual(output.trim().split("\n"), ["1", "1", "1", "1", "0"]);
	rmSync(at("store"), { recursive: true });
});

test("a command's input is closed, and it has no terminal to ask at (R-43)", async () => {
	const ended = await run("cat; read x; echo $?; (: < /dev/tty) 2>/dev/null || echo none");
	assert.equal(ended.output, "1\nnone\n");
});

test("at its time limit every process of a command dies soon, before its end is reported (S-44, R-43, R-46)", async () => {
	const mark = `4444${process.pid}`;
	const start = performance.now();
	await run("echo up");
	// Long enough to begin in, however busy this machine is.
	const timeoutMs = 700 + 10 * (performance.now() - start);
	const script = `trap '' TERM; echo up; setsid nohup sleep ${mark} & (sleep ${mark} & ) ; sleep ${mark}`;
	const running = run(script, { limits: { ...policy.limits, timeoutMs } });
	const ended = await settlesInFairTime(running, timeoutMs + 2_000, () => alive(mark).map(describeProcess).join("; "));
	assert.deepEqual([alive(mark).map(describeProcess), ended.state, ended.output], [[], "stopped", "up\n"]);
});

test("when a command ends, the processes it left behind end too", async () => {
	const mark = `5555${process.pid}`;
	const ended = await run(`setsid sleep ${mark} > /dev/null 2>&1 & disown; echo done`);
	assert.equal(ended.output, "done\n");
	await waitUntilGone(mark);
});

test("a signal that a command sends to its whole group reaches nobody outside its sandbox", async () => {
	let reached = 0;
	const count = (): void => {
		reached += 1;
	};
	process.on("SIGWINCH", count);
	const ended = await run("trap 'echo got' WINCH; kill -WINCH 0; echo on");
	process.off("SIGWINCH", count);
	assert.deepEqual([ended.output, reached], ["got\non\n", 0]);
});

test("stopping a turn ends its commands, including those in the background", async () => {
	const stop = new AbortController();
	const mark = `6666${process.pid}`;
	const one = processes.run(
		"thread",
		request(`sleep ${mark}`),
		{ held, timeoutMs: undefined, yieldMs: undefined },
		stop.signal,
	);
	await processes.run("thread", request(`sleep ${mark}`), { held, timeoutMs: undefined, yieldMs: 1 }, stop.signal);
	stop.abort();
	assert.equal((await one).state, "stopped");
	await waitUntilGone(mark);
});

test("a command stopped at any moment of its start leaves nothing behind", async () => {
	const mark = `8888${process.pid}`;
	for (let delay = 0; delay < 24; delay += 1) {
		const stop = new AbortController();
		const running = processes.run(
			"thread",
			request(`sleep ${mark}`),
			{ held, timeoutMs: undefined, yieldMs: undefined },
			stop.signal,
		);
		setTimeout(() => stop.abort(), delay);
		assert.equal((await running).state, "stopped");
	}
	await waitUntilGone(mark);
});

test("a command is gone when its interrupted run is answered, even one meant for the background", async () => {
	const mark = `7777${process.pid}`;
	for (let delay = 0; delay < 24; delay += 1) {
		const stop = new AbortController();
		const options = { held, timeoutMs: undefined, yieldMs: 10_000 };
		const running = processes.run("thread", request(`sleep ${mark}`), options, stop.signal);
		setTimeout(() => stop.abort(), delay);
		assert.equal((await running).state, "stopped");
		assert.deepEqual(alive(mark), []);
	}
});

test("a flood keeps its beginning and end, in bounded memory, and is reported at most ten times a second (R-44)", async () => {
	const updates: number[] = [];
	const began = performance.now();
	const report = await processes.run(
		"thread",
		request("echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last"),
		{ held, timeoutMs: undefined, yieldMs: undefined, onOutput: (text) => updates.push(text.length) },
		never,
	);
	const seconds = (performance.now() - began) / 1_000;
	assert.ok(report.state === "ended");
	assert.ok(report.output.startsWith("first\n") && report.output.endsWith("\nlast\n"));
	assert.ok(report.output.length < 1_100_000);
	assert.ok(updates.length <= Math.ceil(seconds * 10) + 1, `${updates.length} in ${seconds} s`);
	assert.ok(Math.max(...updates) < 20_000);
});

test("binary output is described, and broken text is repaired (R-45)", async () => {
	assert.match((await run("head -c 100000 /dev/urandom")).output, /bytes of binary data/);
	assert.equal((await run("printf 'a\\xffb\\033[31m\\n'")).output, "a\ufffdb\n");
});

/** A workspace without version control. */
function aPlainFolder() {
	const plain = makeFixture(parent, process.getuid?.() ?? 0);
	rmSync(join(plain.workspace, ".git"), { recursive: true });
	const own = policyFor(plain, {});
	const runThere = async (script: string) => {
		const there = { ...request(script), cwd: plain.workspace, policy: own, digest: digestPolicy(own) };
		const report = await processes.run("thread", there, { held, timeoutMs: undefined, yieldMs: undefined }, never);
		assert.ok(report.state === "ended", JSON.stringify(report));
		return report.output;
	};
	return { runThere, git: join(plain.workspace, ".git") };
}

test("the placeholder for a missing .git is gone when the last command ends", async () => {
	const { runThere, git } = aPlainFolder();
	const both = [runThere("sleep 0.3; ls -A | grep -c '^.git$'"), runThere("ls -A | grep -c '^.git$'")];
	assert.deepEqual(await Promise.all(both), ["1\n", "1\n"]);
	assert.ok(!existsSync(git));
	assert.deepEqual(
		readdirSync(join(fixture.own, "sandbox")).filter((name) => name.startsWith("placeholders")),
		[],
	);
});

test("many commands at once neither lose nor leave the placeholder for a missing .git", async () => {
	const { runThere, git } = aPlainFolder();
	const all = await Promise.all(Array.from({ length: 30 }, () => runThere("mkdir .git/x 2>&1 | grep -c denied")));
	assert.deepEqual(
		all,
		all.map(() => "1\n"),
	);
	assert.ok(!existsSync(git));
});

test("a killed host's placeholders are swept at the next start and its spare ones reused; a non-empty folder stays", async () => {
	const home = join(fixture.folder, "other-home");
	const folder = join(home, "sandbox");
	const spare = join(folder, "spare");
	for (const name of ["0", "1/theirs"]) mkdirSync(join(spare, `.spare-999999-${name}`), { recursive: true });
	mkdirSync(join(fixture.workspace, ".roo"));
	mkdirSync(join(fixture.workspace, ".claude"));
	writeFileSync(join(fixture.workspace, ".claude", "mine"), "mine");
	const paths = [".roo", ".claude"].map((name) => join(fixture.workspace, name));
	writeFileSync(join(folder, "placeholders-999999.json"), JSON.stringify({ pid: 999_999, began: "1", paths }));
	const next = createSandbox({ home, path: undefined, folders: [] });
	await next.run(request("true"), { limits: policy.limits, streams: "kept", input: "closed" }, never);
	assert.deepEqual(
		paths.map((path) => existsSync(path)),
		[false, true],
	);
	const left = readdirSync(spare, { recursive: true }).map(String);
	assert.deepEqual(
		[left.filter((name) => name.includes("999999")), left.filter((name) => name.endsWith("theirs")).length],
		[[], 1],
	);
	rmSync(join(fixture.workspace, ".claude"), { recursive: true });
});

test("a protected name in an unforeseen spelling is set aside and reported (S-19)", async () => {
	const ended = await run("mkdir v; echo '{}' > v/tasks.json; mv v .Idea; echo '{}' > new.code-workspace");
	assert.equal(ended.state === "ended" && ended.notes.length, 2);
	const names = readdirSync(fixture.workspace);
	assert.ok(!names.includes(".Idea") && !names.includes("new.code-workspace"));
});

test("a repository or workspace file that a command makes is set aside and reported; an older one stays (S-19)", async () => {
	const at = (path: string) => join(fixture.workspace, path);
	mkdirSync(at("mine/.git"), { recursive: true });
	const ended = await run(
		"mkdir -p x/.hooks && mv x/.hooks x/.GIT; mkdir -p lib/deep/g && mv lib/deep/g lib/deep/.git; echo '{}' > lib/w.code-workspace; touch mine/.git/index; touch mine/new",
	);
	assert.ok(ended.state === "ended");
	assert.deepEqual(
		["x/.GIT", "lib/deep/.git", "lib/w.code-workspace", "mine/.git/index", "mine/.git", "mine/new"].map((path) =>
			existsSync(at(path)),
		),
		[false, false, false, false, true, true],
	);
	const renamed = ended.notes.flatMap((note) => / it was renamed to (.*)\.$/.exec(note)?.[1] ?? []);
	assert.deepEqual(
		renamed.map((path) => path.replace(/-[0-9a-f]{16}$/, "")).sort(),
		["lib/deep/.git", "lib/w.code-workspace", "x/.GIT"].map((path) => at(`${path}.made-by-a-command`)),
	);
	for (const name of ["x", "lib", "mine"]) rmSync(at(name), { recursive: true });
});

test("only its own thread can read, write to, list and stop a background command", async () => {
	const script = "echo ready; while read line; do echo got $line; done";
	const first = await processes.run("thread", request(script), { held, timeoutMs: undefined, yieldMs: 100 }, never);
	assert.ok(first.state === "running", JSON.stringify(first));
	/** What it writes until that is as long as it will be. */
	const readUntil = async (text: string, expected: string, before = ""): Promise<string> => {
		let output = before;
		let next = text;
		while (output.length < expected.length) {
			const report = await processes.write("thread", { processId: first.processId, text: next, waitMs: 50 }, never);
			assert.ok(report.state === "running", JSON.stringify({ output, report }));
			output += report.output;
			next = "";
		}
		return output;
	};
	assert.equal(await readUntil("", "ready\n", first.output), "ready\n");
	assert.deepEqual(
		processes
			.list()
			.filter(({ owner }) => owner === "thread")
			.map(({ processId }) => processId),
		[first.processId],
	);
	assert.equal(
		(await processes.write("another", { processId: first.processId, text: "x\n", waitMs: 1 }, never)).state,
		"refused",
	);
	assert.equal(await readUntil("a b\n", "got a b\n"), "got a b\n");
	assert.equal((await processes.stop("thread", first.processId)).state, "stopped");
	assert.deepEqual(
		processes.list().filter(({ owner }) => owner === "thread"),
		[],
	);
});

test(`no more than ${MAX_BACKGROUND} commands run in the background`, async () => {
	const all = await Promise.all(
		Array.from({ length: MAX_BACKGROUND + 2 }, () =>
			processes.run("many", request("sleep 60"), { held, timeoutMs: undefined, yieldMs: 0 }, never),
		),
	);
	assert.equal(all.filter(({ state }) => state === "running").length, MAX_BACKGROUND);
	assert.equal(all.filter(({ state }) => state === "refused").length, 2);
	await Promise.all(
		processes
			.list()
			.filter(({ owner }) => owner === "many")
			.map(({ processId }) => processes.stop("many", processId)),
	);
});

const HELPERS = {
	failing: ["exit 1", "bwrap-broken"],
	hanging: ["exec sleep 60", "bwrap-broken"],
	old: ['echo "usage: bwrap --bind"', "bwrap-too-old"],
	lying: [
		'case "$1" in --help) exec /usr/bin/bwrap --help;; esac\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"',
		"bwrap-broken",
	],
	denied: [
		'case "$1" in --help) exec /usr/bin/bwrap --help;; esac\necho "bwrap: setting up uid map: Permission denied" >&2; exit 1',
		"no-user-namespaces",
	],
} as const;

test("a helper that fails, hangs, is too old, lies or may make no namespaces is detected, in the time given (S-34)", async () => {
	const codes = Object.entries(HELPERS).map(async ([name, [script]]) => {
		const helper = join(parent, `bwrap-${name}`);
		writeFileSync(helper, `#!/bin/sh\n${script}\n`);
		chmodSync(helper, 0o755);
		// Only one of them takes all the time that it is given; the others have what a host gives.
		const probe = await probeHelper(helper, name === "hanging" ? 500 : 5_000);
		return [name, probe.ok ? "usable" : probe.problem.code];
	});
	assert.deepEqual(
		await Promise.all(codes),
		// On some machines more is known about what is behind it.
		Object.entries(HELPERS).map(([name, [, code]]) => [name, findCause(code, readMachineFacts()).code]),
	);
});

test("when the host is killed, its commands are gone soon after (S-44)", async () => {
	const mark = `7777${process.pid}`;
	const script = join(parent, "host.mts");
	const at = (path: string) => JSON.stringify(join(import.meta.dirname, "..", "..", path));
	writeFileSync(
		script,
		`const { createSandbox } = await import(${at("agent-host/sandbox/sandbox.ts")});
const request = JSON.parse(${JSON.stringify(JSON.stringify({ ...request(`echo up > ${join(fixture.workspace, "up")}; setsid sleep ${mark} & sleep ${mark}`), environment: {} }))});
await createSandbox({ home: ${JSON.stringify(join(fixture.folder, "third-home"))}, path: undefined, folders: [] }).run(request, { limits: request.policy.limits, streams: "kept", input: "closed" }, new AbortController().signal);
`,
	);
	const host = spawn(process.execPath, [script], { stdio: "inherit" });
	const isUp = () => existsSync(join(fixture.workspace, "up"));
	await eventually(isUp, 15_000, "the command does not begin", () => alive(mark).map(describeProcess));
	host.kill("SIGKILL");
	await inFairTime(
		() => alive(mark).length === 0,
		2_000,
		() => `they outlive their host: ${alive(mark).map(describeProcess).join("; ")}`,
	);
});

test("common builds work inside: npm scripts and git, and make, cc and python where they are installed", async () => {
	const project = join(fixture.workspace, "project");
	mkdirSync(project);
	writeFileSync(join(project, "package.json"), '{"name":"x","version":"1.0.0","scripts":{"build":"node build.js"}}');
	writeFileSync(
		join(project, "build.js"),
		`const { execSync, spawnSync } = require("node:child_process");
const { createServer, connect } = require("node:net");
if (spawnSync("cat", { input: "piped" }).stdout.toString() !== "piped") process.exit(2);
if (execSync("echo hi").toString() !== "hi\\n") process.exit(3);
const server = createServer((s) => s.end("served")).listen(0, "127.0.0.1", () => connect(server.address().port, "127.0.0.1").on("data", (d) => { console.log("built and " + d); server.close(); }));
`,
	);
	writeFileSync(join(project, "main.c"), '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n');
	writeFileSync(join(project, "Makefile"), "all: main\n\t./main\nmain: main.c\n\tcc -o main main.c\n");
	writeFileSync(
		join(project, "t.py"),
		"import subprocess, tempfile, multiprocessing\nwith tempfile.TemporaryFile() as f: f.write(b'x')\nprint('python', subprocess.check_output(['echo', 'ran']).decode().strip())\n",
	);
	const npm = await run(`cd project && export npm_config_cache=$TMPDIR/npm && npm run -s build`);
	assert.match(npm.output, /built and served/, npm.output);
	const tools = (
		await run("for t in make cc git python3; do command -v $t > /dev/null && echo $t; done; true")
	).output.split("\n");
	if (tools.includes("make") && tools.includes("cc"))
		assert.match((await run("cd project && make")).output, /compiled/);
	if (tools.includes("python3")) assert.match((await run("cd project && python3 t.py")).output, /python ran/);
	assert.ok(tools.includes("git"), "git is needed here");
	rmSync(join(fixture.workspace, ".git"), { recursive: true });
	spawnGit("init", "-q");
	spawnGit("add", "f.txt");
	const status = await run("git status --short | head -3; git diff --cached --stat");
	assert.match(status.output, /A {2}f.txt[\s\S]*1 file changed/);
	assert.doesNotMatch(status.output, /idea|husky/);
	const commit = await run("git -c user.name=a -c user.email=b commit -qm x");
	assert.match(commit.output, /Read-only file system|read-only/i);
});

function spawnGit(...args: readonly string[]): void {
	const { spawnSync } = process.getBuiltinModule("node:child_process");
	assert.equal(spawnSync("git", args, { cwd: fixture.workspace }).status, 0);
}
