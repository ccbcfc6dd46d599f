import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import type { Sandbox } from "../../agent-host/sandbox/backend.ts";
import { createProcesses } from "../../agent-host/sandbox/command/processes.ts";
import { findBwrap } from "../../agent-host/sandbox/linux/locate-bwrap.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-prepare-"));
const fixture = makeFixture(parent, process.getuid?.() ?? 0);
const { workspace } = fixture;
const policy = policyFor(fixture, {});
const held = { sandbox: { text: "as the test says" }, containment: "sandboxed" } as const;
const bin = join(parent, "bin");
mkdirSync(bin);
after(() => rmSync(parent, { recursive: true, force: true }));

/** A sandbox whose bubblewrap is the only one in a folder. */
function aSandbox(path: string | undefined): Sandbox {
	return createSandbox({ home: fixture.own, path, folders: [workspace] });
}

interface Around {
	readonly change: Partial<Policy>;
	readonly cwd: string;
	readonly environment: NodeJS.ProcessEnv;
}

async function run(
	sandbox: Sandbox,
	argv: readonly string[],
	{ change = {}, cwd = workspace, environment = process.env }: Partial<Around> = {},
) {
	const used = { ...policy, ...change };
	const request = { argv, cwd, policy: used, digest: digestPolicy(used), environment };
	const processes = createProcesses(sandbox);
	const options = { held, timeoutMs: undefined, yieldMs: undefined };
	const report = await processes.run("thread", request, options, new AbortController().signal);
	await processes.close();
	return report.state === "refused" ? report.reason : report.state === "ended" ? report.output : report.state;
}

async function realBwrap(): Promise<string> {
	const found = await findBwrap(process.env.PATH, [workspace], undefined);
	assert.ok(found.state === "found", "bubblewrap is there: without it this machine cannot show what is claimed below");
	return found.file;
}

test("a bubblewrap replaced after its trial starts nothing", async () => {
	const file = join(bin, "bwrap");
	await copyBwrap(file);
	chmodSync(file, 0o755);
	const sandbox = aSandbox(bin);
	assert.equal(await run(sandbox, ["echo", "contained"]), "contained\n");
	rmSync(file);
	writeFileSync(file, '#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\nshift\nexec "$@"\n', { mode: 0o755 });
	assert.match(
		await run(sandbox, ["echo", "not contained"]),
		/bwrap has changed since it was tested, so the command did not run\./,
	);
});

test("a bubblewrap that stops containing after its trial starts nothing, although its file is the same", async () => {
	const [file, lies] = [join(bin, "bwrap"), join(parent, "lies")];
	rmSync(file, { force: true });
	const liar = 'while [ "$1" != "--" ]; do shift; done; shift; exec "$@"';
	writeFileSync(
		file,
		`#!/bin/sh\n[ -e ${lies} ] && [ "$1" != --help ] && { ${liar}; }\nexec ${await realBwrap()} "$@"\n`,
	);
	chmodSync(file, 0o755);
	const sandbox = aSandbox(bin);
	assert.equal(await run(sandbox, ["echo", "contained"]), "contained\n");
	writeFileSync(lies, "");
	const outside = join(parent, "written outside");
	assert.match(
		await run(sandbox, ["touch", outside]),
		/The command did not run, because this policy needs a sandbox\. Bubblewrap does not isolate/,
	);
	assert.equal(existsSync(outside), false);
	rmSync(lies);
	assert.equal(await run(sandbox, ["echo", "again"]), "again\n");
});

test("a machine too busy for a trial is not one without a sandbox: nothing runs, and it recovers", async () => {
	const [file, busy] = [join(bin, "bwrap"), join(parent, "busy")];
	rmSync(file, { force: true });
	// As when the kernel kills it, or it does not end in time.
	writeFileSync(file, `#!/bin/sh\n[ -e ${busy} ] && kill -9 $$\nexec ${await realBwrap()} "$@"\n`, { mode: 0o755 });
	const sandbox = aSandbox(bin);
	assert.equal((await sandbox.probe()).ok, true);
	writeFileSync(busy, "");
	assert.match(await run(sandbox, ["echo", "hello"]), /did not run/);
	assert.equal((await sandbox.probe("failed")).ok, true, "the next turn is sealed with a sandbox");
	assert.match(await run(sandbox, ["echo", "hello"]), /did not run/);
	rmSync(busy);
	assert.equal(await run(sandbox, ["echo", "hello"]), "hello\n");
});

test("a bubblewrap that the command could overwrite starts nothing", async () => {
	await copyBwrap(join(bin, "bwrap"));
	const change = { filesystem: [...policy.filesystem, { path: bin, access: "write" as const }] };
	assert.match(
		await run(aSandbox(bin), ["echo", "hello"], { change }),
		/bwrap is in a folder that commands can write to, so it cannot isolate them\./,
	);
});

test("a host shell that the command could overwrite starts nothing, because it becomes bubblewrap", async () => {
	await copyBwrap(join(bin, "bwrap"));
	const place = dirname(realpathSync("/bin/sh"));
	const change = { filesystem: [...policy.filesystem, { path: place, access: "write" as const }] };
	assert.match(
		await run(aSandbox(bin), ["echo", "hello"], { change }),
		/sh is in a folder that commands can write to, so it cannot isolate them\./,
	);
});

test("the host's environment does not reach bubblewrap, where it would count before anything is contained", async () => {
	const seen = join(parent, "seen.txt");
	const real = await realBwrap();
	rmSync(join(bin, "bwrap"), { force: true });
	writeFileSync(join(bin, "bwrap"), `#!/bin/sh\nenv >> ${seen}\nexec ${real} "$@"\n`, { mode: 0o755 });
	process.env.VITRINE_TEST_CANARY = "canary";
	try {
		assert.equal(await run(aSandbox(bin), ["echo", "hello"]), "hello\n");
	} finally {
		delete process.env.VITRINE_TEST_CANARY;
	}
	assert.match(readFileSync(seen, "utf8"), /^PWD=\/$/m);
	assert.doesNotMatch(readFileSync(seen, "utf8"), /canary|^HOME=/m);
});

test("a command does not start in a folder closed to it, and a closed program does not start", async () => {
	const closed = join(workspace, "closed");
	mkdirSync(closed);
	writeFileSync(join(closed, "tool"), "#!/bin/sh\necho ran\n", { mode: 0o755 });
	const sandbox = aSandbox(process.env.PATH);
	const change = { filesystem: [...policy.filesystem, { path: closed, access: "none" as const }] };
	assert.equal(await run(sandbox, [join(closed, "tool")]), "ran\n");
	assert.equal(await run(sandbox, [join(closed, "tool")], { change }), `${join(closed, "tool")} is blocked.`);
	const environment = { ...process.env, PATH: `${closed}:${process.env.PATH}` };
	assert.equal(await run(sandbox, ["tool"], { environment }), "ran\n");
	assert.equal(await run(sandbox, ["tool"], { change, environment }), "tool is blocked.");
	assert.equal(
		await run(sandbox, ["pwd"], { change, cwd: closed }),
		`${closed} is not a folder that the command can read.`,
	);
});

test("where the shell is closed, a command is refused in a sentence that names it", async () => {
	const sandbox = aSandbox(process.env.PATH);
	const closed = ["/bin/sh", realpathSync("/bin/sh")].map((path) => [{ path, access: "none" as const }]);
	for (const entries of closed) {
		const change = { filesystem: [...policy.filesystem, ...entries] };
		const reason = "/bin/sh is blocked, but every command is started by it in the sandbox. Allow reading it.";
		assert.equal(await run(sandbox, ["echo", "ran"], { change }), reason);
	}
});

test("a command goes on while an empty placeholder folder stands in for a missing closed one", async () => {
	const missing = join(workspace, "not-yet", "closed");
	const change = { filesystem: [...policy.filesystem, { path: missing, access: "none" as const }] };
	const script = "sleep 0.3; ls not-yet; echo went on";
	assert.match(await run(aSandbox(process.env.PATH), ["/bin/bash", "-c", script], { change }), /went on\n$/);
});

test("a protected link leads where it did before the command, whatever the command made of it", async () => {
	const link = join(workspace, ".npmrc");
	writeFileSync(join(workspace, "theirs"), "registry=https://own.invalid\n");
	symlinkSync("theirs", link);
	// It may be ended as soon as it has done so.
	const script = ": > ran; rm .npmrc && echo registry=https://evil.invalid > .npmrc";
	await run(aSandbox(process.env.PATH), ["/bin/bash", "-c", script]);
	assert.equal(readlinkSync(link), "theirs");
	assert.equal(readFileSync(link, "utf8"), "registry=https://own.invalid\n");
	assert.equal(existsSync(join(workspace, "ran")), true);
});

/** A host that has inherited a descriptor, and runs a command that looks for it. */
const HEIR = `
	import { digestPolicy } from "${import.meta.resolve("../../agent-host/permissions/policy/policy.ts")}";
	import { createProcesses } from "${import.meta.resolve("../../agent-host/sandbox/command/processes.ts")}";
	import { createSandbox } from "${import.meta.resolve("../../agent-host/sandbox/sandbox.ts")}";
	const { home, cwd, policy } = JSON.parse(process.argv[1]);
	const processes = createProcesses(createSandbox({ home, path: process.env.PATH, folders: [cwd] }));
	const argv = ["/bin/bash", "-c", "echo leaked >&40 || echo none"];
	const request = { argv, cwd, policy, digest: digestPolicy(policy), environment: process.env };
	const options = { held: { sandbox: "", containment: "sandboxed" }, timeoutMs: undefined, yieldMs: undefined };
	const { output } = await processes.run("thread", request, options, new AbortController().signal);
	await processes.close();
	console.log(output);
`;

test("a descriptor that the host was started with does not reach a command", async () => {
	const file = join(parent, "outside.txt");
	// Node closes those below 16 itself, and bubblewrap is given some of them.
	const stdio = [...(["ignore", "pipe", "inherit"] as const), ...Array(37).fill("ignore"), openSync(file, "w")];
	const facts = JSON.stringify({ home: fixture.own, cwd: workspace, policy });
	const heir = spawn(process.execPath, ["--input-type=module", "-e", HEIR, facts], { stdio: [...stdio] });
	assert.ok(heir.stdout);
	assert.match(await text(heir.stdout), /40: Bad file descriptor[\s\S]*none/);
	assert.equal(readFileSync(file, "utf8"), "");
});

/** As a new file: one that still runs cannot be written. */
async function copyBwrap(file: string): Promise<void> {
	rmSync(file, { force: true });
	copyFileSync(await realBwrap(), file);
}
