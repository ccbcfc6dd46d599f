import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { tryReadlink } from "../../agent-host/sandbox/protect/try-readlink.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { eventually } from "../host/rig/files.ts";
import {
	allProcesses,
	childrenOf,
	commandLine,
	describeProcess,
	isRunning,
	isSetUp,
	statOf,
} from "../host/rig/processes.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-waiting-"));
const fixture = makeFixture(parent, process.getuid?.() ?? 0);
const policy = policyFor(fixture, {});
after(() => rmSync(parent, { recursive: true, force: true }));

const sandbox = createSandbox({ home: fixture.own, path: process.env.PATH, folders: [fixture.workspace] });

/** In its policy a folder without a repository is writable, too: while a command runs, an empty folder takes that place. */
const bare = join(fixture.folder, "bare");
mkdirSync(bare);
const withBare: Partial<Policy> = { filesystem: [...policy.filesystem, { path: bare, access: "write" }] };

interface Change extends Partial<Policy> {
	readonly cwd?: string;
	readonly variables?: Readonly<Record<string, string>>;
}

/** @param held What to look at while the command is held back in its sandbox. */
async function run(
	argv: readonly string[],
	{ cwd = fixture.workspace, variables = {}, ...change }: Change = {},
	held: () => void | Promise<void> = () => undefined,
) {
	const used = { ...policy, ...change };
	const environment = { ...process.env, ...variables };
	const request = { argv, cwd, policy: used, digest: digestPolicy(used), environment };
	const before = async () => held();
	const options = { limits: used.limits, streams: "kept", input: "closed", before } as const;
	const ended = await sandbox.run(request, options, new AbortController().signal);
	assert.ok(ended.state === "ended", JSON.stringify(ended));
	return ended;
}

/** Other sandboxes of this process have theirs, too. */
const others: ReadonlySet<number> = new Set(allProcesses());

/** What waits for a command of a host: a shell, or the sandbox that it has set up, in which nothing runs yet. */
function waitingFor(host: number): readonly number[] {
	// Of a sandbox it cannot be told whose it is; but those of others set up none while this file runs.
	const isOurs = (pid: number) =>
		commandLine(pid).includes("read -r _ <&6")
			? tryReadlink(`/proc/${pid}/fd/8`)?.startsWith(fixture.own)
			: commandLine(pid).includes("/proc/self/fd/8") && !others.has(pid);
	const isWaiting = (pid: number) =>
		statOf(pid)?.[1] === String(host) && isOurs(pid) && childrenOf(pid).flatMap(childrenOf).length === 0;
	return allProcesses().filter(isWaiting);
}

/** What waits for the next command. */
async function nextShell(): Promise<number> {
	await eventually(() => waitingFor(process.pid).length === 1, 5_000, "no shell waits");
	return waitingFor(process.pid)[0] ?? assert.fail();
}

/** The first process of the sandbox that waits. */
function setUpFor(host: number): number | undefined {
	return waitingFor(host).flatMap(childrenOf).find(isSetUp);
}

/** The same once it has set up its sandbox. */
async function nextSandbox(): Promise<number> {
	await eventually(() => setUpFor(process.pid) !== undefined, 5_000, "no sandbox waits");
	// The host checks it every millisecond, by a timer that was set before this one.
	await setTimeout(1);
	return nextShell();
}

/** What waits for a command that has the same policy as the one before: only a shell, if that needs an empty folder. */
const WAYS = [
	[nextShell, withBare],
	[nextSandbox, {}],
] as const;

/** What a command can find out about how it was started. */
const LOOK = [
	"pwd; umask; ulimit -aS; ulimit -aH; env | sort",
	"for fd in /proc/self/fd/*; do echo $fd $(readlink $fd | tr -d 0-9); done",
	"grep -E '^(Sig|Cap|NoNewPrivs|Seccomp|Uid|Gid|Groups)' /proc/self/status | grep -v SigQ",
	"readlink /proc/1/exe; tr '\\0' ' ' < /proc/$$/cmdline; echo $PPID $$",
].join("; ");

test("a command started in a waiting shell, or in a sandbox that was set up before, starts exactly as one without", async () => {
	for (const [next, change] of WAYS) {
		// Not what the one before has left.
		if (waitingFor(process.pid).length > 0) process.kill(await nextShell(), "SIGKILL");
		await eventually(() => waitingFor(process.pid).length === 0, 5_000, "it waits on");
		const first = await run(["/bin/bash", "-c", LOOK], change);
		const waited = await next();
		let isSame = false;
		const second = await run(["/bin/bash", "-c", LOOK], change, () => {
			isSame = isRunning(waited);
		});
		assert.deepEqual([isSame, isRunning(waited)], [true, false], "it became the command's bubblewrap");
		assert.equal(second.output.text, first.output.text);
		assert.match(first.output.text, /^\/proc\/self\/fd\/2 /m);
		assert.doesNotMatch(first.output.text, /^\/proc\/self\/fd\/[4-9]/m);
	}
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

test("what waits passes on the given arguments, to the byte", async () => {
	const words = ["it's '' \\' $(touch planted) `x` \n", "日本語 🙂 ĀāĂă", "", "-n", "a\\b"];
	for (const [next, change] of WAYS) {
		await run(["/bin/true"], change);
		await next();
		const { output } = await run(["/usr/bin/printf", "%s|", ...words], change);
		assert.equal(output.text, words.map((word) => `${word}|`).join(""));
	}
});

test("limits that changed while the shell waited apply, and cannot be lifted", async () => {
	await run(["/bin/true"], withBare);
	for (const fileBytes of [1_048_576, 512 * 77]) {
		const limits = { ...policy.limits, fileBytes };
		const script = "ulimit -f unlimited 2>/dev/null; head -c 3000000 /dev/zero > big; stat -c %s big; rm big";
		await nextShell();
		const ended = await run(["/bin/bash", "-c", script], { ...withBare, limits });
		assert.match(ended.output.text, new RegExp(`^${fileBytes}$`, "m"));
	}
	await nextShell();
	const free = await run(["/bin/bash", "-c", "ulimit -f"], { ...withBare, limits: { ...policy.limits, fileBytes: 0 } });
	assert.equal(free.output.text, "unlimited\n");
});

test("a command runs although its waiting shell was killed", async () => {
	process.kill(await nextShell(), "SIGKILL");
	await eventually(() => waitingFor(process.pid).length === 0, 5_000, "it waits on");
	assert.equal((await run(["/bin/echo", "ran"])).output.text, "ran\n");
});

const editors = join(fixture.workspace, ".vscode");

/** What the next command gets differently, or what has happened to its files since its sandbox was set up. */
const DIFFERENT: Readonly<Record<string, { readonly change?: Change; readonly meanwhile?: () => void }>> = {
	"another folder to start in": { change: { cwd: join(fixture.workspace, "dir") } },
	"another variable": { change: { variables: { TZ: "Asia/Tokyo" } } },
	"another limit of processes": { change: { limits: { ...policy.limits, processes: 77 } } },
	"another limit of a file": { change: { limits: { ...policy.limits, fileBytes: 77 * 512 } } },
	"one more closed file": {
		change: {
			filesystem: [...policy.filesystem, { path: join(fixture.workspace, "closed.txt"), access: "none" }],
		},
	},
	"a protected folder that is another one": {
		meanwhile: () => {
			renameSync(editors, `${editors}-before`);
			mkdirSync(editors);
			rmSync(`${editors}-before`, { recursive: true });
			writeFileSync(join(editors, "settings.json"), "{}\n");
		},
	},
	"a protected file that was saved as another one": {
		meanwhile: () => {
			const file = join(fixture.workspace, "one.code-workspace");
			writeFileSync(`${file}.new`, "{}\n");
			renameSync(`${file}.new`, file);
		},
	},
	"one more protected folder": {
		meanwhile: () => mkdirSync(join(fixture.workspace, "sub", ".vscode")),
	},
};

/** Every place that is protected stays as it is. */
const TRY_ALL = `for p in .vscode/settings.json .git/config one.code-workspace sub/.vscode/tasks.json; do
	(echo changed > ${fixture.workspace}/$p) 2>/dev/null && echo $p; done; cat ${fixture.workspace}/.vscode/settings.json`;

for (const [what, { change = {}, meanwhile = () => undefined }] of Object.entries(DIFFERENT)) {
	test(`a sandbox that was set up before is not used with ${what}`, async () => {
		await run(["/bin/true"]);
		await nextSandbox();
		meanwhile();
		const isInItsOwn = () => childrenOf(process.pid).some((pid) => commandLine(pid).includes(TRY_ALL));
		// A process has no command line in the moment in which it becomes another program.
		const { output } = await run(["/bin/sh", "-c", TRY_ALL], change, () =>
			eventually(isInItsOwn, 5_000, "it has no sandbox of its own"),
		);
		assert.equal(output.text, "{}\n");
	});
}

test("a sandbox that was set up before waits for its command while another gets its own, and is the last one's later", async () => {
	await run(["/bin/true"]);
	const waited = await nextSandbox();
	const other = { cwd: join(fixture.workspace, "dir") };
	await run(["/bin/true"], other, () => assert.ok(isRunning(waited)));
	assert.ok(isRunning(waited));
	let isUsed = false;
	await eventually(() => !isRunning(waited), 5_000, "it waits on");
	const next = await nextSandbox();
	await run(["/bin/true"], other, () => {
		isUsed = isRunning(next);
	});
	assert.deepEqual([isUsed, isRunning(next)], [true, false]);
});

test("a sandbox that nobody uses ends after a minute, and a shell waits on", async ({ mock }) => {
	process.kill(await nextShell(), "SIGKILL");
	mock.timers.enable({ apis: ["setTimeout"] });
	await run(["/bin/true"]);
	mock.timers.tick(50);
	while (setUpFor(process.pid) === undefined) await setImmediate();
	const waited = await nextShell();
	mock.timers.tick(59_999);
	assert.equal(isRunning(waited), true);
	mock.timers.tick(1);
	mock.timers.reset();
	await eventually(() => !isRunning(waited) && waitingFor(process.pid).length === 1, 5_000, "it waits on");
});

test("no empty folder stays in a workspace for what waits", async () => {
	await run(["/bin/true"], withBare);
	await nextShell();
	assert.deepEqual([existsSync(join(bare, ".git")), readdirSync(bare)], [false, []]);
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
			await eventually(() => setUpFor(pid) !== undefined, 10_000, "no sandbox waits");
			seen = waitingFor(pid).flatMap((one) => [one, ...childrenOf(one)]);
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
