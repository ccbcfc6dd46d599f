import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ApprovalDecision, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { policyShow } from "../../agent-host/protocol/thread/context.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import type { World } from "../support/canaries.ts";
import { inFairTime } from "../support/fair-time.ts";
import type { FakeModel, Script } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";
import { type SharedTest, shareHost } from "./rig/share-host.ts";
import { type HostTestOptions, withHost, withWorld } from "./rig/with-host.ts";
import { aHostWithout, plantReal } from "./rig/without-sandbox.ts";

type CommandRequest = ApprovalRequest & { readonly subject: Extract<ApprovalRequest["subject"], { kind: "command" }> };

interface Uncontained {
	readonly host: HostProcess;
	readonly model: FakeModel;
	readonly world: World;
	readonly threadId: ThreadId;
	/** What the user was asked, in order. */
	readonly asked: readonly CommandRequest[];
}

interface Answering {
	/** Of its thread. */
	readonly settings?: PartialSettings;
	/** Called before the answer is given. */
	readonly meanwhile?: (world: World) => void;
	readonly decision?: ApprovalDecision;
}

type Approve = NonNullable<HostTestOptions["approve"]>;
let approve: Approve = () => assert.fail("nobody is to be asked yet");
/** A host on a machine without a sandbox. */
const OPTIONS = { program: aHostWithout, approve: (request) => approve(request) } satisfies HostTestOptions;
const share = shareHost(OPTIONS);

/** A thread of such a host, and a user who answers every approval; saved answers need a host of their own. */
function withoutSandbox(
	t: TestContext,
	script: Script,
	{ meanwhile, decision = "allow", settings = {} }: Answering,
	body: (test: Uncontained) => Promise<void>,
): Promise<void> {
	const start = async ({ host, model, world }: Pick<SharedTest, "host" | "model" | "world">) => {
		const asked: CommandRequest[] = [];
		approve = (request) => {
			const { subject } = request;
			assert.ok(subject.kind === "command");
			asked.push({ ...request, subject });
			meanwhile?.(world);
			return { decision, digest: request.digest };
		};
		rmSync(join(world.workspace, "ran.txt"), { force: true });
		await body({ host, model, world, asked, threadId: await aThread(host, { settings }) });
	};
	return decision === "allowRule" ? withHost(t, { ...OPTIONS, script }, start) : share(t, script, start);
}

const run = (command: string | readonly string[], more = {}) => calls("run_command", { command, ...more });

/** The last line of the newest request: what the model was told of its call. */
function lastTold(model: FakeModel): string {
	return inputLines(model.requests.at(-1) ?? assert.fail()).at(-1) ?? "";
}

function toolsIn(model: FakeModel): readonly string[] {
	return bodyOf(model.requests.at(-1) ?? assert.fail()).tools.map(({ name }) => String(name));
}

function commandsOf(host: HostProcess, threadId: Parameters<HostProcess["events"]>[0]) {
	const items = host.events(threadId).flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []));
	return items.flatMap((item) => (isCall(item) && item.command !== undefined ? [item.command] : []));
}

/** A process that ended but was not collected by its parent is gone too. */
function isGone(pid: number): boolean {
	try {
		return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return true;
	}
}

function pidIn(world: World, name: string): number {
	const pid = Number(readFileSync(join(world.workspace, name), "utf8"));
	assert.ok(pid > 1);
	return pid;
}

test("without a sandbox a command runs once, after an approval that says so, with the user's rights and a clean environment", (t) => {
	const command = "echo ran >> ../beyond.txt; env | cut -d= -f1";
	const script = [run(command, { reason: "To see.", escalate: { reason: "I must leave it." } }), says("Done.")];
	return withoutSandbox(t, script, {}, async ({ host, threadId, model, world, asked }) => {
		await runTurn(host, threadId, "Run it.");
		assert.equal(readFileSync(join(world.root, "beyond.txt"), "utf8"), "ran\n");
		const [{ subject, reason, choices } = assert.fail()] = asked;
		assert.deepEqual([asked.length, subject.containment, subject.escalated], [1, "none", undefined]);
		assert.deepEqual(
			[subject.shell, subject.why, subject.network],
			[command, "I must leave it.", "Network: on, including servers on this machine and in its network."],
		);
		assert.match(reason, /^No sandbox on this machine: it runs with your rights/);
		assert.deepEqual(subject.rulesOffered, [{ prefix: subject.argv, sandbox: "none" }]);
		assert.ok(choices.includes("allowRule"));
		assert.deepEqual(
			commandsOf(host, threadId).map(({ containment, exitCode }) => [containment, exitCode]),
			[["none", 0]],
		);
		assert.match(lastTold(model), /Exit code 0 .*PATH/);
		assert.doesNotMatch(lastTold(model), /VITRINE_HOME|_TOKEN|_KEY|SECRET|ELECTRON|VSCODE/);
	});
});

test("without a sandbox a command's processes are gone when it ends and at its time limit", (t) => {
	const left = "sleep 1000 & echo $! >";
	const script = [run(`${left} ended.txt`), run(`${left} late.txt; wait`, { timeoutMs: 400 }), says("Done.")];
	return withoutSandbox(t, script, {}, async ({ host, threadId, model, world }) => {
		await runTurn(host, threadId, "Run them.");
		assert.match(lastTold(model), /time/i);
		for (const name of ["ended.txt", "late.txt"]) {
			const pid = pidIn(world, name);
			await inFairTime(
				() => isGone(pid),
				2_000,
				() => `The process of ${name} still runs.`,
			);
		}
	});
});

const REFUSING: readonly (readonly [name: string, settings: PartialSettings, sentence: RegExp])[] = [
	["with approval never", { approval: "never" }, /no sandbox and approvals are off/],
	["in plan mode", { modes: { collaboration: "plan" } }, /no sandbox, so commands can't run in plan or review mode/],
	[
		"with a path that the user closed",
		{ permissions: { mode: "full", denyRead: ["/etc/hidden"] } },
		/^.*\/etc\/hidden is blocked, and this machine has no sandbox/,
	],
];

for (const [name, settings, sentence] of REFUSING) {
	test(`without a sandbox nothing runs ${name}: nobody is asked, the tool is absent, and user and model read why`, (t) =>
		withoutSandbox(
			t,
			[run("touch ran.txt"), says("Well.")],
			{ settings },
			async ({ host, threadId, model, world, asked }) => {
				const { commands, name: shown, words } = await host.request(policyShow, { threadId });
				assert.deepEqual([commands, /no commands/.test(shown)], [false, true]);
				assert.match(words.map(({ message }) => message).join("\n"), /commands can't run/);
				await runTurn(host, threadId, "Run it.");
				assert.ok(!toolsIn(model).includes("run_command"));
				assert.match(lastTold(model), /commands can't run/);
				const typed = host.request(turnStart, { threadId, input: [{ kind: "shell", command: "touch ran.txt" }] });
				await assert.rejects(typed, sentence);
				assert.deepEqual([asked.length, existsSync(join(world.workspace, "ran.txt"))], [0, false]);
			},
		));
}

test("without a sandbox what a killed host left running is ended when the next one starts", (t) => {
	const script = [run("echo $$ > leader.txt; sleep 1000 & echo $! > child.txt; wait")];
	approve = ({ digest }) => ({ decision: "allow", digest });
	return withWorld(t, { ...OPTIONS, script }, async ({ world, another }) => {
		const host = await another();
		const threadId = await aThread(host);
		await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Run it." }] });
		const pidIn = (name: string) => Number(read(join(world.workspace, name)));
		// A host killed at the very moment of a start, before noting it, leaves a process that no other host can find.
		const noted = join(world.home, "sandbox");
		const isNoted = () =>
			existsSync(noted) &&
			readdirSync(noted).some((name) => name.startsWith("group-") && read(join(noted, name)) !== "");
		await inFairTime(
			() => pidIn("child.txt") > 0 && isNoted(),
			10_000,
			() => "The command did not start.",
		);
		const pids = ["leader.txt", "child.txt"].map(pidIn);
		await host.killHard();
		assert.deepEqual(pids.map(isGone), [false, false]);
		await another();
		await inFairTime(
			() => pids.every(isGone),
			2_000,
			() => "What the killed host left behind still runs.",
		);
	});
});

function read(path: string): string {
	return existsSync(path) ? readFileSync(path, "utf8") : "";
}

test("without a sandbox Full Access runs commands unasked, except mass deletions", (t) => {
	const settings = { permissions: { mode: "full" } } as const;
	const script = [run("touch ran.txt"), run("rm -rf ../many"), says("Done.")];
	return withoutSandbox(t, script, { settings, decision: "deny" }, async ({ host, threadId, world, asked }) => {
		mkdirSync(join(world.root, "many"));
		await runTurn(host, threadId, "Run them.");
		assert.deepEqual(
			asked.map(({ subject, reason }) => [subject.shell, /outside the workspace/.test(reason)]),
			[["rm -rf ../many", true]],
		);
		assert.ok(existsSync(join(world.workspace, "ran.txt")) && existsSync(join(world.root, "many")));
		assert.deepEqual(
			commandsOf(host, threadId).map(({ containment }) => containment),
			["none"],
		);
	});
});

test("without a sandbox an always allowed command covers exactly that command, whoever writes it", (t) => {
	const script = [run("echo one"), says("ok"), run("echo one"), says("ok"), run("echo one two"), says("ok")];
	return withoutSandbox(t, script, { decision: "allowRule" }, async ({ host, threadId, model, asked }) => {
		for (const prompt of ["a", "b", "c"]) await runTurn(host, threadId, prompt);
		assert.deepEqual(
			asked.map(({ subject }) => subject.shell),
			["echo one", "echo one two"],
		);
		assert.match(inputLines(model.requests[2] ?? assert.fail()).join("\n"), /approved-prefixes: .*-c echo one/);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "shell", command: "echo one" }] });
		await endOfTurn(host, threadId, turnId);
		assert.deepEqual([asked.length, commandsOf(host, threadId).length], [2, 4]);
	});
});

test("without a sandbox a rule for sandboxed commands does not apply", (t) => {
	const settings = { permissions: { rules: [{ prefix: ["touch", "ran.txt"] }] } };
	const script = [run("touch ran.txt"), says("ok")];
	return withoutSandbox(t, script, { settings, decision: "deny" }, async ({ host, threadId, world, asked }) => {
		await runTurn(host, threadId, "Run it.");
		assert.deepEqual([asked.length, existsSync(join(world.workspace, "ran.txt"))], [1, false]);
	});
});

test("without a sandbox the user's own command needs approval too", (t) =>
	withoutSandbox(t, [says("ok")], {}, async ({ host, threadId, world, asked }) => {
		const input = [{ kind: "shell" as const, command: "touch ran.txt" }];
		const { turnId } = await host.request(turnStart, { threadId, input });
		await endOfTurn(host, threadId, turnId);
		assert.deepEqual([asked.length, asked[0]?.subject.containment], [1, "none"]);
		assert.ok(existsSync(join(world.workspace, "ran.txt")));
	}));

test("without a sandbox a program that changed after the approval does not start", (t) => {
	const script = [run(["./tool.sh"]), says("ok")];
	const write = (world: World, text: string) =>
		writeFileSync(join(world.workspace, "tool.sh"), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
	const meanwhile = (world: World) => write(world, "touch ran.txt");
	return withoutSandbox(t, script, { meanwhile }, async ({ host, threadId, model, world, asked }) => {
		write(world, "true");
		await runTurn(host, threadId, "Run it.");
		assert.deepEqual([asked.length, existsSync(join(world.workspace, "ran.txt"))], [1, false]);
		assert.match(lastTold(model), /changed after the approval/);
	});
});

test("without a sandbox each input for a background command needs approval, and no start-up file is read", (t) => {
	const shell = "while read -r line; do echo got $line; done";
	const script = [
		run(shell, { yieldMs: 0 }),
		calls("write_command_input", { processId: "p1", text: "one\n", waitMs: 1_000 }),
		calls("write_command_input", { processId: "p1", text: "two\n", waitMs: 1_000 }),
		calls("stop_command", { processId: "p1" }),
		says("Done."),
	];
	return withoutSandbox(t, script, {}, async ({ host, threadId, model, world, asked }) => {
		writeFileSync(join(world.env.HOME ?? assert.fail(), ".bashrc"), "echo started-up\n");
		await runTurn(host, threadId, "Talk to it.");
		assert.deepEqual(
			asked.map(({ subject }) => [subject.containment, subject.input?.text]),
			[
				["none", undefined],
				["none", "one\n"],
				["none", "two\n"],
			],
		);
		const told = inputLines(model.requests.at(-1) ?? assert.fail()).join("\n");
		assert.match(told, /got one[\s\S]*got two/);
		assert.doesNotMatch(told, /started-up/);
	});
});

test("when a sandbox is available again, uncontained commands are ended at the next turn", (t) => {
	const script = [run("echo $$ > pid.txt; exec sleep 1000", { yieldMs: 1_000 }), says("It runs."), says("Well.")];
	return withWorld(t, { script }, async ({ another, world }) => {
		mkdirSync(join(world.root, "bin"));
		const env = { ...world.env, PATH: `${join(world.root, "bin")}:${process.env.PATH}` };
		const allow = ({ digest }: ApprovalRequest) => ({ decision: "allow" as const, digest });
		const host = await another({ program: aHostWithout(world), env, approve: allow });
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Start it.");
		const pid = pidIn(world, "pid.txt");
		assert.ok(!isGone(pid));
		plantReal(world, "bin");
		await runTurn(host, threadId, "Go on.");
		await inFairTime(
			() => isGone(pid),
			2_000,
			() => "It still runs.",
		);
	});
});
