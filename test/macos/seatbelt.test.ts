import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import type { CommandEnd } from "../../agent-host/sandbox/backend.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { aCase, expectedLines, makeTree, policyOf, scriptFor } from "../sandbox/probes/random-policy.ts";
import { aPolicy } from "../support/a-policy.ts";

// Real probes of whatever contains commands on this machine. CI runs them on macOS, where that is Seatbelt.

const RUNS = 100;
const SEED = 20_260;
const parent = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-seatbelt-")));
const workspace = join(parent, "workspace");
mkdirSync(workspace);
const secret = join(parent, "secret");
writeFileSync(secret, "a key\n");
const sandbox = createSandbox({ home: join(parent, "home"), path: process.env.PATH, folders: [] });
after(() => rmSync(parent, { recursive: true, force: true }));

const writable: Policy = {
	...aPolicy(),
	filesystem: [
		{ path: "/", access: "read" },
		{ path: workspace, access: "write" },
	],
	folders: [workspace],
	secrets: [secret],
};

function run(argv: readonly string[], policy: Policy = writable, timeoutMs = 20_000): Promise<CommandEnd> {
	return sandbox.run(
		{ argv, cwd: "/usr", policy, digest: digestPolicy(policy), environment: process.env },
		{ limits: { ...policy.limits, timeoutMs }, streams: "kept", input: "closed" },
		new AbortController().signal,
	);
}

async function says(script: string, policy: Policy = writable): Promise<string> {
	const ended = await run(["/bin/sh", "-c", script], policy);
	assert.equal(ended.state, "ended", JSON.stringify(ended));
	return ended.state === "ended" ? ended.output.text : "";
}

test("commands can be contained on this machine", async () => {
	assert.deepEqual(await sandbox.probe().then(({ ok }) => ok), true);
});

test(`the resolver predicts what ${RUNS} random policies let a command open, write, make, rename and remove`, async (context) => {
	let compared = 0;
	for (const [index, one] of fc.sample(aCase, { numRuns: RUNS, seed: SEED }).entries()) {
		const tree = join(parent, `t${index}`);
		await makeTree(tree);
		const policy = policyOf(one, tree);
		const ended = await run(["/usr/bin/perl", "-e", scriptFor(tree)], policy);
		assert.equal(ended.state, "ended", `${JSON.stringify(one)} ${JSON.stringify(ended).slice(0, 1_000)}`);
		const really = ended.state === "ended" ? ended.output.text.trim().split("\n") : [];
		assert.deepEqual(really, expectedLines(policy, tree), JSON.stringify(one));
		compared += really.length;
	}
	context.diagnostic(`${compared} outcomes compared, seed ${SEED}`);
});

test("a protected name can neither be made nor reached by moving its folder", async () => {
	const tries = [
		"mkdir .git/hooks",
		"echo x > .vscode/tasks.json",
		`mv ${workspace} ${workspace}2`,
		"ln -s /tmp .idea",
	];
	const script = tries.map((line) => `(${line}) 2>/dev/null && echo "did ${line}"`).join("\n");
	assert.equal(await says(`cd ${workspace}; mkdir -p .git 2>/dev/null\n${script}\ntrue`), "");
	assert.ok(!existsSync(join(workspace, ".vscode/tasks.json")));
});

test("a secret cannot be read, linked or moved, not even with full access", async () => {
	const script = `cat ${secret} 2>/dev/null; ln ${secret} ${workspace}/l 2>/dev/null && cat ${workspace}/l; true`;
	for (const mode of ["workspaceWrite", "full"] as const) {
		const filesystem = mode === "full" ? [{ path: "/", access: "write" as const }] : writable.filesystem;
		assert.equal(await says(script, { ...writable, mode, filesystem }), "");
	}
});

test("a program that listens on a UNIX socket cannot be reached, even with the network on", async () => {
	const server = createServer((socket) => socket.end("hello"));
	const path = join(workspace, "of-the-user.sock");
	await new Promise<void>((resolve) => server.listen(path, resolve));
	const script = `use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => "${path}"); print $s ? <$s> : "no";`;
	for (const kind of ["on", "off"] as const) {
		const ended = await run(["/usr/bin/perl", "-e", script], { ...writable, network: { kind } });
		assert.equal(ended.state === "ended" ? ended.output.text : ended.state, "no", kind);
	}
	server.close();
});

test("names are resolved with the network on", async () => {
	const script = 'my @found = gethostbyname("localhost"); print scalar(@found) > 0 ? "yes" : "no";';
	const ended = await run(["/usr/bin/perl", "-e", script], { ...writable, network: { kind: "on" } });
	assert.equal(ended.state === "ended" ? ended.output.text : ended.state, "yes");
});

test("the host's loopback is reached with the network on, and only then", async () => {
	const server = createServer((socket) => socket.end("hello"));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	const script = `use IO::Socket::INET; my $s = IO::Socket::INET->new("127.0.0.1:${port}"); print $s ? <$s> : "no";`;
	const outputOf = async (kind: "on" | "off") => {
		const ended = await run(["/usr/bin/perl", "-e", script], { ...writable, network: { kind } });
		return ended.state === "ended" ? ended.output.text : JSON.stringify(ended);
	};
	assert.deepEqual([await outputOf("off"), await outputOf("on")], ["no", "hello"]);
	server.close();
});

test("a command's end is reported: its status, its signal, its time", async () => {
	const [status, signal, late] = await Promise.all([
		run(["/bin/sh", "-c", "exit 7"]),
		run(["/bin/sh", "-c", "kill -TERM $$"]),
		run(["/bin/sh", "-c", "sleep 60"], writable, 500),
	]);
	assert.equal(status.state === "ended" && status.exitCode, 7);
	assert.equal(signal.state === "ended" && signal.signal, "SIGTERM");
	assert.equal(late.state === "stopped" && late.by, "time");
});
