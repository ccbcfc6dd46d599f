import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalAnswer, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { didChangeConfiguration, didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { processList } from "../../agent-host/protocol/thread/process.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import type { World } from "../support/canaries.ts";
import type { FakeModel, Script } from "../support/fake-model.ts";
import { calls, callsAll, holds, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, startHeldTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { pointAt, withHost } from "./rig/with-host.ts";

type Shrink = (rig: {
	readonly host: HostProcess;
	readonly threadId: ThreadId;
	readonly world: World;
	readonly model: FakeModel;
}) => unknown;

const choose =
	(settings: PartialSettings): Shrink =>
	({ host, threadId }) =>
		host.request(threadSettings, { threadId, settings });

const SHRINKS: readonly (readonly [what: string, before: PartialSettings, shrink: Shrink])[] = [
	["the thread becomes read-only", {}, choose({ permissions: { mode: "readOnly" } })],
	["the network is closed", { permissions: { network: "on" } }, choose({ permissions: { network: "off" } })],
	["plan mode begins", {}, choose({ modes: { collaboration: "plan" } })],
	["trust is lost", {}, ({ host }) => host.notify(didChangeTrust, { trusted: false })],
	[
		"the user's settings get stricter",
		{},
		({ host, model }) =>
			host.notify(didChangeConfiguration, { settings: pointAt(model, { permissions: { mode: "readOnly" } }) }),
	],
	[
		"the folder is closed",
		{},
		({ host, world }) =>
			host.notifyRaw("workspace/didChangeWorkspaceFolders", {
				event: { added: [], removed: [{ uri: `file://${world.workspace}`, name: "w" }] },
			}),
	],
];

const PATCH = "*** Begin Patch\n*** Add File: patched.txt\n+new\n*** End Patch\n";

const tries = () =>
	callsAll([
		["run_command", { command: "touch ran.txt" }],
		["run_command", { command: "touch later.txt; sleep 60", yieldMs: 0 }],
		["apply_patch", { patch: PATCH }],
		["read_file", { path: "there.txt" }],
	]);

for (const [what, settings, shrink] of SHRINKS) {
	test(`when ${what} in mid-turn, its next calls only read, and user and model are told why`, (t) => {
		const held = holds("Wait", " for it.");
		const first = { ...held, parts: [...held.parts, ...tries().parts] };
		return withHost(t, { script: [first, says("ok")] }, async ({ host, model, world }) => {
			writeFileSync(join(world.workspace, "there.txt"), "It is there.\n");
			const { threadId, turnId } = await startHeldTurn(host, first, { threadId: await aThread(host, { settings }) });
			await shrink({ host, threadId, world, model });
			await host.waitFor(threadId, (e) => e.type === "warning" && e.code === "rights-shrunk");
			first.release();
			await endOfTurn(host, threadId, turnId);
			const outputs = inputLines(model.requests[1] ?? assert.fail()).slice(-4);
			const why = what === "trust is lost" ? /no longer trusted/ : /stricter now/;
			for (const line of outputs.slice(0, 3)) assert.match(line, why);
			assert.match(outputs[3] ?? "", /It is there\./);
			const made = ["ran.txt", "later.txt", "patched.txt"].filter((name) => existsSync(join(world.workspace, name)));
			assert.deepEqual(made, []);
		});
	});
}

test("rights that return while the turn runs apply again", (t) => {
	const held = holds("Wait", " for it.");
	const first = { ...held, parts: [...held.parts, ...calls("run_command", { command: "touch ran.txt" }).parts] };
	return withHost(t, { script: [first, says("ok")] }, async ({ host, world }) => {
		const { threadId, turnId } = await startHeldTurn(host, first);
		for (const mode of ["readOnly", "workspaceWrite"] as const)
			await host.request(threadSettings, { threadId, settings: { permissions: { mode } } });
		first.release();
		await endOfTurn(host, threadId, turnId);
		assert.equal(existsSync(join(world.workspace, "ran.txt")), true);
	});
});

test("a sub-agent's rights shrink with its parent's thread while both work", (t) => {
	const held = holds("Wait", " for it.");
	const first = { ...held, parts: [...held.parts, ...calls("run_command", { command: "touch ran.txt" }).parts] };
	const forAgent = [first, says("I could not.")];
	const forParent = [calls("start_agent", { name: "maker", role: "implement", task: "Make it." }), says("One moment.")];
	const script: Script = ({ text }) => (text.includes("<agent_role") ? forAgent : forParent).shift() ?? says("ok");
	return withHost(t, { script }, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		const input = [{ kind: "text" as const, text: "Have it made." }];
		const { turnId } = await host.request(turnStart, { threadId, input });
		await first.reached;
		await host.request(threadSettings, { threadId, settings: { permissions: { mode: "readOnly" } } });
		first.release();
		await endOfTurn(host, threadId, turnId);
		assert.equal(existsSync(join(world.workspace, "ran.txt")), false);
		const told = model.requests.flatMap((request) => inputLines(request)).filter((line) => /stricter now/.test(line));
		assert.equal(told.length, 1);
	});
});

test("a review only reads, so it ends what a sub-agent has left in the background; other turns let it go on", (t) => {
	const forAgent = [calls("run_command", { command: "sleep 600", yieldMs: 0 }), says("It runs.")];
	const forParent = [
		calls("start_agent", { name: "maker", role: "implement", task: "Start it." }),
		says("One moment."),
	];
	const script: Script = ({ text }) => (text.includes("<agent_role") ? forAgent : forParent).shift() ?? says("ok");
	return withHost(t, { script }, async ({ host }) => {
		const threadId = await aThread(host);
		const countLeft = async (settings: PartialSettings) => {
			const input = [{ kind: "text" as const, text: "Go on." }];
			const { turnId } = await host.request(turnStart, { threadId, input, overrides: { settings } });
			await endOfTurn(host, threadId, turnId);
			return (await host.request(processList, {})).processes.length;
		};
		assert.equal(await countLeft({}), 1);
		assert.equal(await countLeft({ modes: { personality: "concise" } }), 1);
		assert.equal(await countLeft({ modes: { collaboration: "review" } }), 0);
	});
});

test("an answer to an approval is void once the thread may do less", (t) => {
	const asked = Promise.withResolvers<ApprovalRequest>();
	const answered = Promise.withResolvers<ApprovalAnswer>();
	const approve = (request: ApprovalRequest) => {
		asked.resolve(request);
		return answered.promise;
	};
	const script = [calls("run_command", { command: "touch ran.txt" }), says("ok")];
	const settings: PartialSettings = { permissions: { mode: "ask" } };
	return withHost(t, { script, approve }, async ({ host, model, world }) => {
		const threadId = await aThread(host, { settings });
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Make it." }] });
		const { digest } = await asked.promise;
		await host.request(threadSettings, { threadId, settings: { permissions: { mode: "readOnly" } } });
		answered.resolve({ decision: "allow", digest });
		await endOfTurn(host, threadId, turnId);
		assert.equal(existsSync(join(world.workspace, "ran.txt")), false);
		assert.match(inputLines(model.requests[1] ?? assert.fail()).at(-1) ?? "", /stricter now/);
	});
});

test("a required hook that a loss of trust disables blocks the calls it was to judge, reads included", (t) => {
	const held = holds("Wait", " for it.");
	const first = { ...held, parts: [...held.parts, ...calls("read_file", { path: "there.txt" }).parts] };
	const hook = { type: "command", command: "true", required: true };
	const home = { "hooks.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }) };
	return withHost(t, { script: [first, says("ok")], home }, async ({ host, model, world }) => {
		writeFileSync(join(world.workspace, "there.txt"), "It is there.\n");
		const { threadId, turnId } = await startHeldTurn(host, first);
		host.notify(didChangeTrust, { trusted: false });
		first.release();
		await endOfTurn(host, threadId, turnId);
		assert.match(inputLines(model.requests[1] ?? assert.fail()).at(-1) ?? "", /A required hook cannot run/);
	});
});
