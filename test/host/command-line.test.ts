import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { threadClose, threadExport, threadReplay, threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { compactCommand } from "../../agent-host/surfaces/cli/compact-command.ts";
import { execCommand } from "../../agent-host/surfaces/cli/exec-command.ts";
import { replayCommand } from "../../agent-host/surfaces/cli/replay-command.ts";
import type { Script } from "../support/fake-model.ts";
import { calls, hangs, refuses, says } from "../support/fake-model-steps.ts";
import { aThread, HOST_BUNDLE, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { type Ran, runHere } from "./rig/command-here.ts";
import { isCompaction, long, sumsUp } from "./rig/compaction.ts";
import { textUnder } from "./rig/files.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost, withWorld } from "./rig/with-host.ts";

const withShared = shareHost({});

/** Where commands are typed. The demo model reads a file of the folder, so this must not be one that has those of other tests. */
const elsewhere = mkdtempSync(join(tmpdir(), "vitrine-elsewhere-"));
after(() => rmSync(elsewhere, { recursive: true, force: true }));

test("replay rebuilds every request from the records alone, whatever has changed in the world since", (t) =>
	withShared(t, [says("ok"), says("ok")], async ({ host, world }) => {
		writeFileSync(join(world.workspace, "AGENTS.md"), "Use tabs.");
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		await host.request(threadSettings, { threadId, settings: { permissions: { mode: "ask" } } });
		await runTurn(host, threadId, "two");
		writeFileSync(join(world.workspace, "AGENTS.md"), "Use spaces.");
		const { text } = await host.request(threadExport, { threadId, format: "records" });
		assert.deepEqual(await host.request(threadReplay, { text }), { same: 2, unreadable: 0 });
		await host.request(threadClose, { threadId });
		assert.deepEqual(await vitrine(["replay", "--home", world.home, threadId]), {
			status: 0,
			stdout: "2 requests, 2 identical.\n",
			stderr: "",
		});
	}));

test("replay names the first request that comes out differently, and the difference", (t) =>
	withShared(t, [says("ok"), says("ok")], async ({ host, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		await runTurn(host, threadId, "two");
		await host.request(threadClose, { threadId });
		const file = join(world.home, "threads", `${threadId}.jsonl`);
		const lines = readFileSync(file, "utf8").split("\n");
		const second = lines.findLastIndex((line) => line.includes('"kind":"request"'));
		// As a release that builds a different input would have written it.
		const json = (lines[second] ?? "").slice(9).replace(/-[0-9a-f]{8}"/, '-00000000"');
		const { crc32 } = await import("node:zlib");
		lines[second] = `${crc32(json).toString(16).padStart(8, "0")} ${json}`;
		writeFileSync(file, lines.join("\n"));
		const { status, stderr } = await vitrine(["replay", "--home", world.home, threadId]);
		assert.equal(status, 1);
		assert.match(stderr, /^Request 2 \(turn .*\) differs in: input\. The 1 before it are identical\.\n$/);
	}));

test("replay reports records it cannot read and ends with status 1", (t) =>
	withShared(t, [says("ok")], async ({ host, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		await host.request(threadClose, { threadId });
		const file = join(world.home, "threads", `${threadId}.jsonl`);
		const intact = readFileSync(file, "utf8").split("\n");
		const damage = (place: number) =>
			writeFileSync(file, intact.map((line, index) => (index === place ? line.replace(/.$/, "!") : line)).join("\n"));
		damage(intact.findIndex((line) => line.includes('"kind":"request"')));
		assert.deepEqual(await vitrine(["replay", "--home", world.home, threadId]), {
			status: 1,
			stdout: "0 requests, 0 identical.\n",
			stderr: "1 unreadable records were skipped.\n",
		});
		damage(0);
		assert.deepEqual(await vitrine(["replay", "--home", world.home, threadId]), {
			status: 1,
			stdout: "",
			stderr: `Thread ${threadId} cannot be read: the start of its file is damaged.\n`,
		});
	}));

test("exec that is ended, or whose reader is gone, records the interruption and exits with status 3", (t) =>
	withWorld(t, { script: () => hangs() }, async ({ model, world }) => {
		const server = ["--base-url", model.baseUrl, "--model", "fake-1", "--home", world.home, "--cwd", world.workspace];
		const ended = startVitrine(["exec", ...server, "Wait."]);
		await model.requestNumber(1);
		ended.kill("SIGTERM");
		assert.deepEqual(await once(ended, "exit"), [3, null]);
		const unread = startVitrine(["exec", ...server, "--json", "Wait."]);
		unread.stdout.destroy();
		assert.deepEqual(await once(unread, "exit"), [3, null]);
		assert.equal(textUnder(world.home).split('"status":"interrupted"').length, 3);
	}));

test("exec runs one task and prints the answer, or one event a line", (t) =>
	withWorld(t, { script: () => says("The answer.") }, async ({ model, world }) => {
		const server = ["--base-url", model.baseUrl, "--model", "fake-1", "--home", world.home, "--cwd", world.workspace];
		const plain = await hear(startVitrine(["exec", ...server, "What is it?"]));
		assert.deepEqual([plain.status, plain.stdout], [0, "The answer.\n"]);
		const json = await vitrine(["exec", ...server, "--json", "What is it?"]);
		const lines = json.stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line) as { threadId: string; event: { type: string } });
		assert.deepEqual(
			[lines.some(({ event }) => event.type === "turnStarted"), lines.at(-1)?.event.type],
			[true, "turnCompleted"],
		);
		const replayed = await vitrine(["replay", "--home", world.home, lines[0]?.threadId ?? ""]);
		assert.equal(replayed.stdout, "1 requests, 1 identical.\n");
	}));

test("compact makes room in a thread with its own model or a named one, and changes nothing else in it", (t) => {
	const script: Script = (request) =>
		isCompaction(request) ? sumsUp("first question", ["second question"]) : says(long(1_000));
	const settings: PartialSettings = { permissions: { mode: "workspaceWrite", network: "on" }, approval: "untrusted" };
	return withHost(t, { script, settings }, async ({ host, model, world, another }) => {
		const [threadId, other] = [await aThread(host), await aThread(host)];
		for (const id of [threadId, other]) {
			await runTurn(host, id, "first question");
			await runTurn(host, id, "second question");
		}
		const before = await host.request(threadSettings, { threadId });
		await host.close();
		const plain = await vitrine(["compact", "--home", world.home, "--focus", "names", threadId]);
		assert.deepEqual([plain.status, plain.stderr], [0, ""]);
		assert.match(plain.stdout, /^Compacted 2 turns: \d+ → \d+ tokens\n$/);
		const asked = model.requests.filter(isCompaction);
		assert.equal(asked.length, 1);
		assert.match(asked[0]?.text ?? "", /names/);
		const server = ["--base-url", model.baseUrl, "--model", "other-1", "--home", world.home];
		const json = await vitrine(["compact", ...server, "--json", other]);
		const types = json.stdout
			.trimEnd()
			.split("\n")
			.map((line) => JSON.parse(line).event.type);
		assert.deepEqual([json.status, types[0], types.at(-1)], [0, "turnStarted", "turnCompleted"]);
		assert.deepEqual(model.requests.map((request) => bodyOf(request).model).slice(-2), ["fake-1", "other-1"]);
		const next = await another();
		for (const id of [threadId, other]) {
			assert.deepEqual(await next.request(threadSettings, { threadId: id }), before);
		}
	});
});

test("the exit status of compact says how it ended", (t) =>
	withShared(t, [says("ok")], async ({ host, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		const held = await vitrine(["compact", "--home", world.home, threadId]);
		assert.deepEqual([held.status, held.stdout], [1, ""]);
		assert.match(held.stderr, /another window|another process/);
		await host.request(threadClose, { threadId });
		const unknown = await vitrine(["compact", "--home", world.home, "no-such-thread"]);
		assert.deepEqual(unknown, {
			status: 1,
			stdout: "",
			stderr: "Thread no-such-thread was not found. It may have been deleted.\n",
		});
		for (const args of [[], [threadId, "more"], ["--no-such-option", threadId]]) {
			const misused = await vitrine(["compact", "--home", world.home, ...args]);
			assert.deepEqual([misused.status, misused.stdout], [2, ""]);
			assert.match(misused.stderr, /Usage: vitrine compact/);
		}
		const wrong = await vitrine(["compact", "--home", world.home, "--wire", "smoke", threadId]);
		assert.equal(wrong.status, 2);
		assert.match(wrong.stderr, /^--wire: .*"responses".*\n$/);
	}));

test("the exit status of exec says how the task ended", (t) => {
	const script = [
		refuses(401, "bad key"),
		calls("apply_patch", { patch: addFile(".vscode/tasks.json") }),
		says("never"),
	];
	return withWorld(t, { script }, async ({ model, world }) => {
		const server = ["--base-url", model.baseUrl, "--model", "fake-1", "--home", world.home, "--cwd", world.workspace];
		assert.equal((await vitrine(["exec", ...server, "Fail."])).status, 1);
		const asked = await vitrine(["exec", ...server, "Change how the editor runs."]);
		assert.equal(asked.status, 4);
		assert.match(asked.stderr, /Refused: needs approval, which is not available here. /);
		assert.equal((await vitrine(["exec"])).status, 2);
		assert.equal((await vitrine(["exec", "--base-url", "ftp://x", "hi"])).status, 2);
	});
});

test("exec holds a task to a policy file, and does nothing when it cannot understand the file", (t) => {
	const script = [
		calls("run_command", { command: "cat closed/key; echo written > made.txt; echo x > open/made.txt" }),
		calls("read_file", { path: "closed/key" }),
		says("Done."),
	];
	return withWorld(t, { script }, async ({ model, world }) => {
		for (const name of ["closed", "open"]) mkdirSync(join(world.workspace, name));
		writeFileSync(join(world.workspace, "closed/key"), "what nobody may read");
		const filesystem = [
			{ path: "/", access: "read" },
			{ path: ":workspace/open", access: "write" },
			{ path: ":workspace/closed", access: "none" },
		];
		const policy = join(world.root, "policy.json");
		writeFileSync(policy, JSON.stringify({ filesystem, network: "off" }));
		const server = ["--base-url", model.baseUrl, "--model", "fake-1", "--home", world.home, "--cwd", world.workspace];
		const { status } = await vitrine(["exec", ...server, "--policy", policy, "Try it."]);
		assert.equal(status, 0);
		assert.deepEqual(
			["made.txt", "open/made.txt"].map((name) => existsSync(join(world.workspace, name))),
			[false, true],
		);
		assert.ok(!JSON.stringify(model.requests.map(bodyOf)).includes("what nobody may read"));
		writeFileSync(policy, '{"filesystem": "all of it"}');
		const refused = await vitrine(["exec", ...server, "--policy", policy, "Try it."]);
		assert.equal(refused.status, 2);
		assert.match(refused.stderr, /The policy file is not valid: filesystem/);
		assert.equal((await vitrine(["exec", ...server, "--policy", policy, "--mode", "ask", "Try it."])).status, 2);
	});
});

test("a model named without a server is OpenAI's, never the demo", async (t) => {
	const home = mkdtempSync(join(tmpdir(), "vitrine-"));
	t.after(() => rmSync(home, { recursive: true, force: true }));
	const { status, stderr } = await vitrine(["exec", "--model", "gpt-5", "--home", home, "hello"]);
	assert.deepEqual(
		[status, stderr],
		[1, "No API key is stored. Enter one with “Vitrine: Set Up Model…”. On the command line, set VITRINE_API_KEY.\n"],
	);
});

test("after an answer of the demo model, exec says how to use a real one", async (t) => {
	const home = mkdtempSync(join(tmpdir(), "vitrine-"));
	t.after(() => rmSync(home, { recursive: true, force: true }));
	const { status, stdout, stderr } = await vitrine(["exec", "--home", home, "hello"]);
	assert.equal(status, 0);
	assert.match(stdout, /^For real answers, start Vitrine with `--model` or `--base-url`\.$/m);
	assert.match(
		stderr,
		/^This was the demo model\. For a real one, use --model and set VITRINE_API_KEY, or use --base-url/m,
	);
});

function addFile(path: string): string {
	return `*** Begin Patch\n*** Add File: ${path}\n+{}\n*** End Patch\n`;
}

test("a user without a home folder can run exec with --home; without it the refusal names the fix", async () => {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-nobody-"));
	try {
		const kept = await withoutHome(["exec", "--home", join(folder, "kept"), "--cwd", folder, "hello"]);
		assert.equal(kept.status, 0, kept.stderr);
		assert.match(kept.stdout, /hello/);
		const refused = await withoutHome(["exec", "--cwd", folder, "hello"]);
		assert.notEqual(refused.status, 0);
		assert.equal(
			refused.stderr,
			"Threads cannot be saved: this user has no home folder. Set HOME or VITRINE_HOME to a writable folder, then restart the agent host.\n",
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

/** As a user whom the system does not know, in an environment that names no home. */
function withoutHome(args: readonly string[]): Promise<Ran> {
	const nobody = ["--unshare-user", "--uid", "54321", "--dev-bind", "/", "/", "--unsetenv", "HOME"];
	const { VITRINE_HOME: _, ...env } = process.env;
	return hear(
		spawn("bwrap", [...nobody, process.execPath, HOST_BUNDLE, ...args], { stdio: ["ignore", "pipe", "pipe"], env }),
	);
}

const COMMANDS = { exec: execCommand, compact: compactCommand, replay: replayCommand } as const;

/** In the process of the test, which takes a fifth of what a process of its own takes; the last tests here start one. */
function vitrine([name, ...args]: readonly [keyof typeof COMMANDS, ...string[]]): Promise<Ran> {
	return runHere(COMMANDS[name], args, { cwd: elsewhere });
}

async function hear(child: ReturnType<typeof startVitrine>): Promise<Ran> {
	const [stdout, stderr, status] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		new Promise<number | null>((resolve) => child.on("close", resolve)),
	]);
	return { status: status ?? assert.fail("a signal ended it"), stdout, stderr };
}

function startVitrine(args: readonly string[]) {
	// The user who runs the tests may have no home.
	const env = { HOME: tmpdir(), ...process.env };
	return spawn(process.execPath, [HOST_BUNDLE, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
	let all = "";
	for await (const chunk of stream) all += chunk.toString("utf8");
	return all;
}
