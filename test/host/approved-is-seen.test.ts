import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
	type ApprovalDecision,
	type ApprovalRequest,
	approvalDiff,
} from "../../agent-host/protocol/approval/approval.ts";
import { didChangeConfiguration, didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ResultOf } from "../../agent-host/protocol/method.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { processList, processStop } from "../../agent-host/protocol/thread/process.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import type { World } from "../support/canaries.ts";
import type { Script } from "../support/fake-model.ts";
import { calls, type Step, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { type SharedTest, shareHost } from "./rig/share-host.ts";
import { type HostTestOptions, withHost } from "./rig/with-host.ts";

const ASK = { permissions: { mode: "ask" } } as const satisfies PartialSettings;

type Approve = NonNullable<HostTestOptions["approve"]>;

let approveNow: Approve = () => ({ decision: "deny" });
const withShared = shareHost({ approve: (request) => approveNow(request) });

/** What the tests of the shared host make in its workspace. */
const MADE = [".vscode", "a.txt", "long.txt", "one", "two", "link", "ran.txt", "fed.txt"];

/** A host whose workspace has none of that yet, and in which no command runs. */
function withAnswer(t: TestContext, approve: Approve, script: Script, body: (test: SharedTest) => Promise<void>) {
	approveNow = approve;
	return withShared(t, script, async (test) => {
		for (const name of MADE) rmSync(join(test.world.workspace, name), { recursive: true, force: true });
		await body(test);
		const { processes } = await test.host.request(processList, {});
		for (const { threadId, processId } of processes) await test.host.request(processStop, { threadId, processId });
	});
}

const ROOMY = { model: { contextWindow: 4_000_000 } } as const satisfies PartialSettings;

/** What was asked, each answered in the same way. */
function asking(decision: ApprovalDecision = "allow", before?: (request: ApprovalRequest) => Promise<void> | void) {
	const asked: ApprovalRequest[] = [];
	const approve = async (request: ApprovalRequest) => {
		asked.push(request);
		await before?.(request);
		return { decision: request.choices.includes(decision) ? decision : "allow", digest: request.digest } as const;
	};
	return { asked, approve };
}

function addFile(path: string, lines: readonly string[]) {
	const added = lines.map((line) => `+${line}`);
	const patch = ["*** Begin Patch", `*** Add File: ${path}`, ...added, "*** End Patch"].join("\n");
	return calls("apply_patch", { patch }, { chunk: 10_000 });
}

function lastOutput(requests: readonly Parameters<typeof inputLines>[0][]): string {
	return inputLines(requests.at(-1) ?? assert.fail("no request")).at(-1) ?? "";
}

test("a long patch of a protected file is shown to its last line, never granted for a thread, and asked about again", (t) => {
	const content = (name: string) =>
		Array.from({ length: 701 }, (_, index) => `  "${name}${index}": "${"x".repeat(60)}",`);
	const path = ".vscode/settings.json";
	const script = [addFile(path, content("a")), says("ok"), addFile(path, content("eslint.nodePath")), says("ok")];
	const { asked, approve } = asking("allowThread");
	return withAnswer(t, approve, script, async ({ host, world }) => {
		const threadId = await aThread(host, { settings: ROOMY });
		await runTurn(host, threadId, "one");
		rmSync(join(world.workspace, path));
		await runTurn(host, threadId, "two");
		assert.deepEqual(
			asked.map(({ choices }) => choices),
			[
				["allow", "deny", "abort"],
				["allow", "deny", "abort"],
			],
		);
		for (const [index, name] of ["a", "eslint.nodePath"].entries()) {
			const subject = asked[index]?.subject;
			assert.ok(subject?.kind === "patch" && subject.whole === undefined);
			for (const line of content(name)) assert.ok(subject.diff.includes(`\n+${line}`), line);
		}
	});
});

test("a diff too long for a card states its length, can be read whole, and cannot be granted for a thread", (t) => {
	const lines = Array.from({ length: 4_500 }, (_, index) => `${index} ${"y".repeat(50)}`);
	let host: HostProcess | undefined;
	let whole = "";
	const { asked, approve } = asking("allowThread", async ({ threadId, approvalId }) => {
		for (let from: number | undefined = 0; from !== undefined; ) {
			const page: ResultOf<typeof approvalDiff> = await (host ?? assert.fail()).request(approvalDiff, {
				threadId,
				approvalId,
				from,
			});
			whole += page.text;
			from = page.next;
		}
	});
	return withAnswer(t, approve, [addFile("long.txt", lines), says("ok")], async (test) => {
		host = test.host;
		const threadId = await aThread(host, { settings: { ...ASK, ...ROOMY } });
		await runTurn(host, threadId, "one");
		const [{ subject, choices, approvalId } = assert.fail()] = asked;
		assert.ok(subject.kind === "patch");
		assert.deepEqual(choices, ["allow", "deny", "abort"]);
		assert.deepEqual(subject.whole, { lines: whole.split("\n").length, characters: whole.length });
		assert.ok(subject.diff.length <= 200_000 && whole.startsWith(`${subject.diff}\n`));
		for (const line of lines) assert.ok(whole.includes(`\n+${line}`), line);
		await assert.rejects(host.request(approvalDiff, { threadId, approvalId }), /no longer pending/);
	});
});

test("a grant for a thread covers the file contents that were shown, not just the lines of the diff", (t) => {
	const patch = ["*** Begin Patch", "*** Update File: a.txt", "@@", "-one", "+two", "*** End Patch"].join("\n");
	const edit = () => calls("apply_patch", { patch });
	const { asked, approve } = asking("allowThread");
	const read = () => calls("read_file", { path: "a.txt" });
	const script = [1, 2, 3].flatMap(() => [read(), edit(), says("ok")]);
	return withAnswer(t, approve, script, async ({ host, world }) => {
		const threadId = await aThread(host, { settings: ASK });
		const path = join(world.workspace, "a.txt");
		// Below the end of the diff.
		const below = "\n".repeat(20);
		for (const [rest, questions] of [
			[`${below}more\n`, 1],
			[`${below}more\n`, 1],
			[`${below}other\n`, 2],
		] as const) {
			writeFileSync(path, `one${rest}`);
			await runTurn(host, threadId, "Edit it.");
			assert.deepEqual([asked.length, readFileSync(path, "utf8")], [questions, `two${rest}`]);
		}
		const digests = asked.map(({ digest }) => digest);
		for (const digest of digests) assert.match(digest, /^[0-9a-f]{64}$/);
		assert.equal(new Set(digests).size, 2);
	});
});

/** A command that leaves a mark, in a program and a folder that can be exchanged. */
function stage(world: World, name: string, text: string): void {
	mkdirSync(join(world.workspace, name));
	writeFileSync(join(world.workspace, name, "tool"), `#!/bin/sh\necho ${text} >> "$PWD/ran.txt"\n`, { mode: 0o755 });
}

const EXCHANGES: readonly (readonly [what: string, command: readonly string[], exchange: (folder: string) => void])[] =
	[
		["program", ["one/tool"], (folder) => renameSync(join(folder, "two/tool"), join(folder, "one/tool"))],
		["program behind a link", ["link/tool"], (folder) => relink(folder)],
	];

function relink(folder: string): void {
	rmSync(join(folder, "link"));
	symlinkSync("two", join(folder, "link"));
}

for (const [what, command, exchange] of EXCHANGES) {
	test(`a ${what} exchanged while the user decides does not run`, (t) => {
		let world: World | undefined;
		const { asked, approve } = asking("allow", () => exchange((world ?? assert.fail()).workspace));
		const script = [calls("run_command", { command }), says("ok")];
		return withAnswer(t, approve, script, async ({ host, model, world: here }) => {
			world = here;
			for (const name of ["one", "two"]) stage(here, name, name);
			symlinkSync("one", join(here.workspace, "link"));
			await runTurn(host, await aThread(host, { settings: ASK }), "Run it.");
			assert.equal(asked.length, 1);
			assert.match(lastOutput(model.requests), /The request changed after the approval/);
			assert.equal(existsSync(join(here.workspace, "ran.txt")), false);
		});
	});
}

test("a command does not run in a folder that is exchanged while the user decides", (t) => {
	let world: World | undefined;
	const { asked, approve } = asking("allow", () => relink((world ?? assert.fail()).workspace));
	const script = [calls("run_command", { command: ["./tool"], cwd: "link" }), says("ok")];
	return withAnswer(t, approve, script, async ({ host, model, world: here }) => {
		world = here;
		for (const name of ["one", "two"]) stage(here, name, name);
		symlinkSync("one", join(here.workspace, "link"));
		await runTurn(host, await aThread(host, { settings: ASK }), "Run it.");
		const [{ subject } = assert.fail()] = asked;
		assert.ok(subject.kind === "command");
		assert.equal(subject.resolvedCwd, join(here.workspace, "one"));
		assert.match(lastOutput(model.requests), /The request changed after the approval/);
		for (const name of ["one", "two"]) assert.equal(existsSync(join(here.workspace, name, "ran.txt")), false);
	});
});

const SHELL = { command: ["sh"], yieldMs: 100 };

/** A step that writes to the first command that the thread left running. */
function feed(text: string) {
	return (processId: string) => calls("write_command_input", { processId, text, waitMs: 300 });
}

function inOrder(...steps: readonly (Step | ReturnType<typeof feed>)[]): Script {
	return (request, index) => {
		const step = steps[index];
		if (typeof step !== "function") return step;
		return step(/Still running after .* as process (p\d+)\./.exec(inputLines(request).join("\n"))?.[1] ?? "none");
	};
}

const FED: readonly (readonly [what: string, settings: PartialSettings, start: object])[] = [
	["outside the sandbox", {}, { ...SHELL, escalate: { reason: "It needs to." }, timeoutMs: 60_000 }],
	["in the mode that asks", ASK, { ...SHELL, timeoutMs: 60_000 }],
	["with approval untrusted", { approval: "untrusted" }, { ...SHELL, timeoutMs: 60_000 }],
];

for (const [what, settings, start] of FED) {
	test(`a command ${what} states that its input stays open, and each text written to it needs approval`, (t) => {
		const texts = ["echo one > fed.txt\n", "echo two  >> fed.txt\n"];
		const { asked, approve } = asking("allowThread");
		const script = inOrder(calls("run_command", start), ...[...texts, ""].map(feed), says("ok"));
		return withAnswer(t, approve, script, async ({ host, world }) => {
			await runTurn(host, await aThread(host, { settings }), "Go.");
			const subjects = asked.map(({ subject }) => (subject.kind === "command" ? subject : assert.fail()));
			assert.deepEqual(
				subjects.map(({ inputOpenMs, input, argv }) => [inputOpenMs, input?.text, argv]),
				[
					[60_000, undefined, ["sh"]],
					[60_000, texts[0], ["sh"]],
					[60_000, texts[1], ["sh"]],
				],
			);
			for (const { choices } of asked.slice(1)) assert.deepEqual(choices, ["allow", "deny", "abort"]);
			assert.equal(readFileSync(join(world.workspace, "fed.txt"), "utf8"), "one\ntwo\n");
		});
	});
}

test("a text that the user denies never reaches the command", (t) => {
	const approve = ({ subject, digest }: ApprovalRequest) =>
		({ decision: subject.kind === "command" && subject.input !== undefined ? "deny" : "allow", digest }) as const;
	const script = inOrder(calls("run_command", SHELL), feed("echo one > fed.txt\n"), says("ok"));
	return withAnswer(t, approve, script, async ({ host, model, world }) => {
		await runTurn(host, await aThread(host, { settings: ASK }), "Go.");
		assert.match(lastOutput(model.requests), /denied this/);
		assert.equal(existsSync(join(world.workspace, "fed.txt")), false);
	});
});

test("a grant for a thread includes whether the input stays open", (t) => {
	const { asked, approve } = asking("allowThread");
	const start = (more: object) => calls("run_command", { command: ["true"], ...more });
	const script = [
		start({ yieldMs: 1 }),
		start({ yieldMs: 1 }),
		start({ yieldMs: 1, timeoutMs: 5_000 }),
		start({}),
		says("ok"),
	];
	return withAnswer(t, approve, script, async ({ host }) => {
		await runTurn(host, await aThread(host, { settings: ASK }), "Go.");
		const open = asked.map(({ subject }) => (subject.kind === "command" ? subject.inputOpenMs : assert.fail()));
		assert.deepEqual(open, [3_600_000, 5_000, undefined]);
	});
});

type Shrink = (host: HostProcess, threadId: ThreadId, world: World) => Promise<void> | void;

function configure(settings: PartialSettings): Shrink {
	return (host, threadId) => host.request(threadSettings, { threadId, settings }).then(() => undefined);
}

type Shrinks = readonly (readonly [what: string, before: PartialSettings, shrink: Shrink])[];

const SHRINKS: Shrinks = [
	["the mode becomes read-only", {}, configure({ permissions: { mode: "readOnly" } })],
	["the mode becomes ask", {}, configure({ permissions: { mode: "ask" } })],
	["approval becomes never", {}, configure({ approval: "never" })],
	["approval becomes untrusted", {}, configure({ approval: "untrusted" })],
	["the network is closed", { permissions: { network: "on" } }, configure({ permissions: { network: "off" } })],
	["a file is closed", {}, configure({ permissions: { denyRead: ["**/.env"] } })],
	["full access ends", { permissions: { mode: "full" } }, configure({ permissions: { mode: "workspaceWrite" } })],
	[
		"a writable root is removed",
		{ permissions: { writableRoots: ["/var/tmp"] } },
		configure({ permissions: { writableRoots: [] } }),
	],
];

/** These hold for every thread of a host, so each has one to itself. */
const HOST_SHRINKS: Shrinks = [
	["trust is lost", {}, (host) => host.notify(didChangeTrust, { trusted: false })],
	[
		"the user's settings get stricter",
		{},
		(host) => host.notify(didChangeConfiguration, { settings: { permissions: { mode: "readOnly" } } }),
	],
	[
		"the folder is closed",
		{},
		(host, _, world) =>
			host.notifyRaw("workspace/didChangeWorkspaceFolders", {
				event: { added: [], removed: [{ uri: `file://${world.workspace}`, name: "w" }] },
			}),
	],
];

for (const [what, settings, shrink] of [...SHRINKS, ...HOST_SHRINKS]) {
	test(`when ${what}, a background command ends, and the thread says so`, (t) => {
		const script: Script = [calls("run_command", SHELL), says("It runs.")];
		const body = async ({ host, world }: Pick<SharedTest, "host" | "world">) => {
			const threadId = await aThread(host, { settings });
			await runTurn(host, threadId, "Go.");
			const { processes } = await host.request(processList, {});
			assert.deepEqual(
				processes.map((process) => process.threadId),
				[threadId],
			);
			await shrink(host, threadId, world);
			const { event } = await host.waitFor(threadId, (e) => e.type === "warning" && e.code === "rights-shrunk");
			const message = event.type === "warning" ? event.message : "";
			assert.ok(message.startsWith(`Background command ${processes[0]?.processId}, ["sh"], was stopped`), message);
			assert.deepEqual(await host.request(processList, {}), { processes: [] });
		};
		const isOfHost = HOST_SHRINKS.some(([name]) => name === what);
		return isOfHost ? withHost(t, { script }, body) : withAnswer(t, asking().approve, script, body);
	});
}

test("a background command goes on when nothing gets stricter, and still takes input", (t) => {
	const script = inOrder(
		...[calls("run_command", SHELL), says("It runs.")],
		...[feed("echo one > fed.txt\n"), says("ok")],
	);
	return withAnswer(t, asking().approve, script, async ({ host, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Go.");
		await host.request(threadSettings, { threadId, settings: { permissions: { network: "on" } } });
		await runTurn(host, threadId, "Write.");
		assert.equal(readFileSync(join(world.workspace, "fed.txt"), "utf8"), "one\n");
	});
});

test("a turn with stricter permissions of its own cannot write to a background command that has more", (t) => {
	const script = inOrder(
		...[calls("run_command", SHELL), says("It runs.")],
		...[feed("echo one > fed.txt\n"), says("ok")],
	);
	return withAnswer(t, asking().approve, script, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Go.");
		const settings = { permissions: { mode: "readOnly" }, approval: "never" } as const;
		const { turnId } = (await host.requestRaw("turn/start", {
			...{ threadId, input: [{ kind: "text", text: "Write." }], overrides: { settings } },
		})) as { turnId: string };
		await host.waitFor(threadId, (e) => e.type === "turnCompleted" && e.turnId === turnId);
		assert.match(lastOutput(model.requests), /Stopped|no command p1/);
		assert.equal(existsSync(join(world.workspace, "fed.txt")), false);
	});
});
