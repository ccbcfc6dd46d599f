import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { processBackground, processList, processStop } from "../../agent-host/protocol/thread/process.ts";
import { threadDelete, threadRead } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, callsAll, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn } from "../support/host-process.ts";
import { measureSlowness } from "../support/slowness.ts";
import { endsIn } from "./rig/ends-in.ts";
import { shareHost } from "./rig/share-host.ts";
import { shareToolHost, useTool } from "./rig/use-tool.ts";
import { type HostTestOptions, withHost } from "./rig/with-host.ts";

const useShared = shareToolHost();
const withShared = shareHost({});

test("run_command runs in the workspace and reports exit code and output", (t) =>
	useShared(
		t,
		{ name: "run_command", args: { command: "pwd; cat README.md | head -1; exit 3" } },
		({ status, output, title }) => {
			assert.match(output, /^Exit code 3 after [\d.]+ s\.\nOutput:\n\/.*\n# /);
			assert.deepEqual([status, title], ["completed", "Run pwd; cat README.md | head -1; exit 3"]);
		},
	));

test("a command cannot write outside the workspace or change protected files, and leaves no placeholder", (t) =>
	useShared(
		t,
		{
			name: "run_command",
			args: { command: "echo x > /usr/made.txt; mkdir -p .git/x; mkdir -p .husky; echo made > made.txt; true" },
		},
		({ output, world }) => {
			assert.match(output, /\.husky is protected[\s\S]*Read-only file system[\s\S]*Permission denied/);
			assert.deepEqual(
				["made.txt", ".husky", ".git/x"].map((name) => existsSync(join(world.workspace, name))),
				[true, false, false],
			);
		},
	));

test("in an untrusted workspace run_command is absent", (t) =>
	useTool(t, { name: "run_command", args: { command: "id" }, options: { trusted: false } }, ({ output }) => {
		assert.match(output, /The tool run_command is not available/);
	}));

const PATCH = ["*** Begin Patch", "*** Add File: made.txt", "+by a patch", "*** End Patch"].join("\n");

test("a command that is exactly a patch is shown, judged and recorded as an edit", (t) =>
	useShared(
		t,
		{
			name: "run_command",
			args: { command: `cd sub && apply_patch <<'EOF'\n${PATCH}\nEOF` },
			prepare: ({ workspace }) => void mkdirSync(join(workspace, "sub")),
		},
		({ status, title, output, world }) => {
			assert.deepEqual([status, title, output], ["completed", "Add made.txt", "Changed:\nA made.txt (+1 -0)"]);
			assert.equal(readFileSync(join(world.workspace, "sub/made.txt"), "utf8"), "by a patch\n");
		},
	));

test("apply_patch also works inside a script, within what the sandbox lets it write", (t) =>
	useTool(
		t,
		{
			name: "run_command",
			args: { command: "sh ./script; cd .git && sh ../script; echo ended" },
			prepare: ({ workspace }) => {
				mkdirSync(join(workspace, ".git"), { recursive: true });
				writeFileSync(join(workspace, "script"), `set -e\napply_patch <<'EOF'\n${PATCH}\nEOF\necho patched\n`);
			},
		},
		({ output, world }) => {
			assert.match(output, /A made\.txt\npatched\n.*(?:read-only|not permitted|denied)[\s\S]*ended/i);
			assert.equal(output.match(/patched/g)?.length, 1);
			assert.equal(readFileSync(join(world.workspace, "made.txt"), "utf8"), "by a patch\n");
			assert.deepEqual(readdirSync(join(world.workspace, ".git")), []);
		},
	));

test("command output is shown live, also to a view that connects later, and only the result is recorded", (t) => {
	const waits = (name: string) => ["run_command", { command: `echo ${name}-began; cat go-${name}; exit 3` }] as const;
	const script = [callsAll([waits("one"), waits("two")]), says("Done.")];
	return withShared(t, script, async ({ host, world }) => {
		const gates = ["one", "two"].map((name) => join(world.workspace, `go-${name}`));
		const { execFileSync } = await import("node:child_process");
		execFileSync("mkfifo", gates);
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Run both." }] });
		for (const name of ["one", "two"]) {
			await host.waitFor(threadId, (event) => event.type === "itemDelta" && event.text.includes(`${name}-began`));
		}
		const { live, others, events } = await host.request(threadRead, { threadId });
		const texts = [live, ...(others ?? [])].map((item) => [item?.itemKind, item?.text]);
		assert.deepEqual(texts.sort(), [
			["command", "one-began\n"],
			["command", "two-began\n"],
		]);
		assert.ok(!JSON.stringify(events).includes("one-began\\n"), "nothing of it is recorded");
		for (const gate of gates) writeFileSync(gate, "went on\n");
		const { published } = await endOfTurn(host, threadId, turnId);
		const [one, two] = endsIn(published);
		assert.ok(one !== undefined && two !== undefined);
		const { durationMs = -1, processBound = "", ...known } = one;
		assert.ok(durationMs >= 0);
		assert.match(processBound, /^(?:cgroup|rlimit|pidNamespace)$/);
		assert.deepEqual(known, {
			state: "ended",
			outputFrom: one.output.indexOf("Output:\n") + "Output:\n".length,
			exitCode: 3,
			sandbox: "Workspace, network off",
			sandboxSaid: {
				list: true,
				parts: [
					{ message: "Workspace", sentence: "mode-workspace" },
					{ message: "network off", sentence: "name-network-off" },
				],
			},
			containment: "sandboxed",
			outputBytes: 18,
			output: one.output,
		});
		assert.match(one.output, /Output:\n(one|two)-began\nwent on\n$/);
		const after = await host.request(threadRead, { threadId });
		assert.deepEqual([after.live, after.others], [undefined, undefined]);
	});
});

test("a command is recorded as ended, stopped or in the background, with its facts and where its output begins", async (t) => {
	// On a busy machine the first program takes longer to start.
	const slowness = await measureSlowness();
	const script = [
		calls("run_command", { command: "echo out; exit 3" }),
		calls("run_command", { command: "kill -9 $$" }),
		calls("run_command", { command: "echo out; sleep 60", timeoutMs: Math.round(500 * slowness) }),
		calls("run_command", { command: "echo out; sleep 60", yieldMs: Math.round(300 * slowness) }),
		calls("run_command", { command: "true" }),
		says("Done."),
	];
	return withShared(t, script, async ({ host }) => {
		const threadId = await aThread(host);
		const { published } = await runTurn(host, threadId, "Run them.");
		const ends = endsIn(published);
		assert.deepEqual(
			ends.map(({ state, exitCode, signal, stoppedBy, timedOut }) => [state, exitCode, signal, stoppedBy, timedOut]),
			[
				["ended", 3, undefined, undefined, undefined],
				["ended", 137, "SIGKILL", undefined, undefined],
				["stopped", undefined, undefined, "time", true],
				["background", undefined, undefined, undefined, undefined],
				["ended", 0, undefined, undefined, undefined],
			],
		);
		assert.deepEqual(
			ends.map(({ output, outputFrom }) => output.slice(outputFrom)),
			["out\n", "", "out\n", "out\n", ""],
		);
		const processId = ends[3]?.processId ?? assert.fail();
		assert.ok(ends[3]?.output.includes(`as process ${processId}.`));
		assert.deepEqual(await host.request(processStop, { threadId, processId }), { stopped: true });
	});
});

test("a command that its turn waits for can be moved to the background, where it goes on and can be read", (t) => {
	const script = [calls("run_command", { command: "echo began; sleep 60", timeoutMs: 5_000 }), says("Went on.")];
	return withShared(t, script, async ({ host }) => {
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Serve it." }] });
		const call = () => host.events(threadId).flatMap(({ event }) => (event.type === "itemStarted" ? [event.item] : []));
		await host.waitFor(threadId, () => call().some((item) => "callId" in item));
		const [item] = call().filter((one) => "callId" in one);
		const callId = item !== undefined && "callId" in item ? item.callId : "";
		assert.deepEqual(await host.request(processBackground, { threadId, callId: "another" }), { moved: false });
		// It may not have started yet.
		while (!(await host.request(processBackground, { threadId, callId })).moved) await new Promise(setImmediate);
		const { published } = await endOfTurn(host, threadId, turnId);
		const [end] = endsIn(published);
		assert.equal(end?.state, "background");
		const processId = end.processId ?? assert.fail();
		assert.match(
			end.output,
			new RegExp(`^Still running after [\\d.]+ s as process ${processId}\\..*\\nThe user moved it to the background`),
		);
		const { processes } = await host.request(processList, {});
		assert.deepEqual(
			processes.map((one) => [one.threadId, one.processId]),
			[[threadId, processId]],
		);
		assert.deepEqual(await host.request(processBackground, { threadId, callId }), { moved: false });
		assert.deepEqual(await host.request(processStop, { threadId, processId }), { stopped: true });
	});
});

test("deleting a thread ends its background commands before its files are deleted", (t) => {
	const write = "while true; do echo beat > $TMPDIR/beat; sleep 0.1; done";
	const script = [calls("run_command", { command: write, yieldMs: 300 }), says("It beats.")];
	return withShared(t, script, async ({ host }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Let it beat.");
		const { processes } = await host.request(processList, {});
		assert.deepEqual(
			processes.map((one) => one.threadId),
			[threadId],
		);
		await host.request(threadDelete, { threadId });
		assert.deepEqual(await host.request(processList, {}), { processes: [] });
	});
});

const HOOK = "mkdir -p .git/hooks && echo hook > .git/hooks/made && cat $HOME/.ssh/* ; test -e .git/hooks/made";
const plain = { command: HOOK };
const outside = { ...plain, escalate: { reason: "The hook is part of the task." } };

test("what the sandbox refused is offered once for outside it; each run there needs approval, and keys stay closed", (t) => {
	const asked: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest) => {
		asked.push(request);
		return { decision: "allow", digest: request.digest } as const;
	};
	const script = [plain, plain, outside, outside].map((args) => calls("run_command", args));
	return withHost(t, { script: [...script, says("Done.")], approve }, async ({ host, world }) => {
		const { published } = await runTurn(host, await aThread(host), "Make the hook.");
		const ends = endsIn(published);
		assert.deepEqual(
			ends.map(({ exitCode, containment, output }) => [exitCode, containment, /escalate: /.test(output)]),
			[
				[1, "sandboxed", true],
				[1, "sandboxed", false],
				[0, "outside", false],
				[0, "outside", false],
			],
		);
		assert.equal(readFileSync(join(world.workspace, ".git/hooks/made"), "utf8"), "hook\n");
		assert.match(ends[2]?.output ?? "", /\.ssh.*(?:Permission denied|No such file)/);
		assert.equal(asked.length, 2, "each time is a question of its own");
		const [{ subject, choices, reason } = assert.fail()] = asked;
		assert.ok(subject.kind === "command");
		assert.deepEqual(
			[subject.escalated, subject.why, choices],
			[true, outside.escalate.reason, ["allow", "deny", "abort"]],
		);
		assert.match(`${reason} ${subject.sandbox}`, /outside the sandbox.*outside the sandbox/s);
	});
});

const FORBIDDEN: readonly (readonly [why: string, settings: HostTestOptions["settings"], says: RegExp])[] = [
	["nobody can be asked", { approval: "never" }, /outside the sandbox.*Approvals are off/s],
	[
		"the user closed a file",
		{ permissions: { denyRead: [":workspace/closed"] } },
		/which the user blocked\. This is never allowed/,
	],
];

for (const [why, settings, words] of FORBIDDEN) {
	test(`when ${why}, no command leaves the sandbox and no approval is asked`, (t) => {
		let questions = 0;
		const approve = ({ digest }: ApprovalRequest) => {
			questions += 1;
			return { decision: "allow", digest } as const;
		};
		const options = { settings: settings ?? {}, approve };
		return useTool(t, { name: "run_command", args: outside, options }, ({ status, output, world }) => {
			assert.deepEqual([status, questions, existsSync(join(world.workspace, ".husky"))], ["failed", 0, false]);
			assert.match(output, words);
		});
	});
}

test("a thread's temporary files are there for its next turn, and are deleted with it", (t) => {
	const script = [
		calls("run_command", { command: "echo kept > /tmp/kept.txt" }),
		says("kept"),
		calls("run_command", { command: "cat /tmp/kept.txt" }),
		says("read"),
	];
	return withShared(t, script, async ({ host, world, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Keep something.");
		await runTurn(host, threadId, "Read it.");
		assert.match(JSON.stringify(model.requests.at(-1)?.body), /kept\\n/);
		assert.ok(readdirSync(join(world.home, "tmp")).includes(threadId));
		await host.request(threadDelete, { threadId });
		assert.ok(!readdirSync(join(world.home, "tmp")).includes(threadId));
	});
});
