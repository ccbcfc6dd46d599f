import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AgentReport } from "../../agent-host/protocol/agent.ts";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { reviewComment, reviewList, reviewReject, threadRestoreRedo } from "../../agent-host/protocol/thread/review.ts";
import {
	threadArchive,
	threadDelete,
	threadExport,
	threadFork,
	threadList,
	threadRead,
	threadReplay,
	threadRollback,
	threadSettings,
} from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, callsAll, fails, hangs, holds, says, together } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn } from "../support/host-process.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf } from "../support/request-page.ts";
import { openInProcess } from "./rig/in-process.ts";
import { agent, play, whoAsks } from "./rig/play-agents.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const ROOM = { contextWindow: 1_000_000 };
const approved: ApprovalRequest[] = [];
const shared = shareHost({
	settings: { model: ROOM },
	approve: (request) => {
		approved.push(request);
		return { decision: "allow" };
	},
});

function agentsOf(host: HostProcess, threadId: ThreadId): readonly AgentReport[] {
	return host.events(threadId).flatMap(({ event }) => (event.type === "agentChanged" ? [event.agent] : []));
}

function statesOf(host: HostProcess, threadId: ThreadId): readonly string[] {
	return agentsOf(host, threadId).map(({ name, state }) => `${name} ${state}`);
}

/** What the model was told about its agents. */
function toldIn(request: RecordedRequest | undefined): readonly string[] {
	assert.ok(request !== undefined);
	return [
		...request.text.matchAll(/<subagent_notification agent=\\"([a-z-]+)\\" state=\\"([a-z]+)\\">\\n(.*?)\\n</g),
	].map(([, name, state, text]) => `${name} ${state}: ${text}`);
}

test("three sub-agents work at once in threads of their own, and the turn ends with what each of them found", (t) => {
	const [a, b, c] = [holds("A", " found."), holds("B", " found."), holds("C", " found.")];
	const plays = {
		root: [
			callsAll([agent("a"), agent("b"), agent("c")]),
			says("I wait."),
			says("All done."),
			says("All done."),
			says("All done."),
		],
		a: [a],
		b: [b],
		c: [c],
	};
	return shared(t, play(plays), async ({ host, model }) => {
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Look everywhere." }] });
		await Promise.all([a.reached, b.reached, c.reached]);
		for (const one of [a, b, c]) one.release();
		const { end } = await endOfTurn(host, threadId, turnId);
		assert.equal(end.status, "completed");
		assert.deepEqual(statesOf(host, threadId).toSorted(), [
			...["a completed", "a running", "b completed", "b running", "c completed", "c running"],
		]);
		const roots = model.requests.filter((request) => whoAsks(request) === "root");
		assert.deepEqual(toldIn(roots.at(-1)).toSorted(), [
			"a completed: A found.",
			"b completed: B found.",
			"c completed: C found.",
		]);
		const { threads } = await host.request(threadList, {});
		const own = threads.filter(({ agent }) => agent?.parent === threadId);
		assert.deepEqual(own.map(({ agent }) => agent?.name).toSorted(), ["a", "b", "c"]);
	});
});

/** Names of the tools that a request offers. */
function toolsIn(request: RecordedRequest | undefined): readonly string[] {
	return request === undefined ? [] : bodyOf(request).tools.flatMap(({ name }) => name ?? []);
}

function requestsOf(requests: readonly RecordedRequest[], who: string): readonly RecordedRequest[] {
	return requests.filter((request) => whoAsks(request) === who);
}

function outputsIn(request: RecordedRequest | undefined): readonly string[] {
	assert.ok(request !== undefined);
	return bodyOf(request).input.flatMap((item) =>
		item.type === "function_call_output" && typeof item.output === "string" ? [item.output] : [],
	);
}

test("a sub-agent reads its role and task, exchanges messages with its parent, and can continue after it ended", (t) => {
	const [first, second] = [holds("Both are", " in src."), holds("In", " test.")];
	const plays = {
		root: [
			callsAll([agent("finder")]),
			says("I wait."),
			says("I go on."),
			calls("message_agent", { agent: "finder", text: "And the tests?" }),
			says("I wait again."),
			says("Done."),
		],
		finder: [calls("message_agent", { agent: "parent", text: "There are two." }), first, second],
	};
	return shared(t, play(plays), async ({ host, model, world }) => {
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Find it." }] });
		const said = (text: string) =>
			host.waitFor(
				threadId,
				(event) => event.type === "itemCompleted" && "text" in event.item && event.item.text === text,
			);
		await said("I go on.");
		first.release();
		await said("I wait again.");
		second.release();
		assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "completed");
		assert.deepEqual(statesOf(host, threadId), [
			"finder running",
			"finder completed",
			"finder running",
			"finder completed",
		]);
		const [root, finder] = [requestsOf(model.requests, "root"), requestsOf(model.requests, "finder")];
		assert.deepEqual(toldIn(root.at(-1)), [
			"finder message: There are two.",
			"finder completed: Both are in src.",
			"finder completed: In test.",
		]);
		assert.deepEqual(
			toolsIn(finder[0]).filter((name) => name.includes("agent")),
			["message_agent"],
		);
		for (const one of [threadId, agentsOf(host, threadId)[0]?.threadId ?? assert.fail()]) {
			const { text } = await host.request(threadExport, { threadId: one, format: "records" });
			const same = one === threadId ? root.length : finder.length;
			assert.deepEqual(await host.request(threadReplay, { text }), { same, unreadable: 0 });
		}
		matchesRequests("sub-agent", { ...model, requests: finder }, world, [
			"its task",
			"after its message",
			"its next task",
		]);
		matchesRequests("sub-agents-told", { ...model, requests: root }, world, [
			...["a prompt", "an agent works", "its message", "its end", "its next task", "its next end"],
		]);
	});
});

test("archiving or deleting a thread does the same to its sub-agents' threads, and to no other thread", (t) => {
	const plays = {
		root: [callsAll([agent("a"), agent("b")]), says("I wait."), says("Done."), says("Done."), says("Done.")],
		a: [says("A.")],
		b: [says("B.")],
	};
	return shared(t, play(plays), async ({ host }) => {
		const [threadId, other] = [await aThread(host), await aThread(host)];
		await runTurn(host, threadId, "Go.");
		await runTurn(host, other, "Something else.");
		const agents = [...new Set(agentsOf(host, threadId).map((report) => report.threadId))];
		// A copy that the user made belongs to the user.
		const { threadId: copy } = await host.request(threadFork, { threadId: agents[0] ?? assert.fail() });
		const listed = async (archived: boolean) =>
			new Set((await host.request(threadList, { archived, limit: 1_000 })).threads.map((thread) => thread.threadId));
		await host.request(threadArchive, { threadId, archived: true });
		const archived = await listed(true);
		assert.ok([threadId, ...agents].every((one) => archived.has(one)));
		await host.request(threadDelete, { threadId });
		const left = [await listed(false), await listed(true)];
		assert.ok([threadId, ...agents].every((one) => left.every((all) => !all.has(one))));
		assert.ok([other, copy].every((one) => left[0]?.has(one)));
		await assert.rejects(host.request(threadRead, { threadId: agents[1] ?? assert.fail() }), /thread/i);
	});
});

test("a fork has no sub-agents: it cannot reach the original's, and their names are free", (t) => {
	const plays = {
		root: [
			...[callsAll([agent("a")]), says("I wait."), says("Done.")],
			...[calls("message_agent", { agent: "a", text: "Go on." }), says("It is not there.")],
			...[callsAll([agent("a")]), says("I wait."), says("Done.")],
		],
		a: [says("A."), says("Another A.")],
	};
	return shared(t, play(plays), async ({ host, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Go.");
		const [first] = agentsOf(host, threadId);
		const { threadId: copy } = await host.request(threadFork, { threadId });
		await runTurn(host, copy, "Let it go on.");
		const [, refused] = requestsOf(model.requests, "root").slice(-2);
		assert.equal(outputsIn(refused).at(-1), "There is no sub-agent a.");
		await runTurn(host, copy, "Then another one.");
		const own = agentsOf(host, copy);
		assert.deepEqual(
			own.map(({ state }) => state),
			["running", "completed"],
		);
		assert.notEqual(own[0]?.threadId, first?.threadId);
	});
});

test("a thread whose records name a sub-agent of another thread cannot give it work", async (t) => {
	const plays = {
		root: [
			...[callsAll([agent("a")]), says("I wait."), says("Done.")],
			...[says("Hello."), calls("message_agent", { agent: "a", text: "Go on." }), says("It refuses.")],
		],
		a: [says("A.")],
	};
	const { session, threadId, model } = await openInProcess(t, { script: play(plays), settings: { model: ROOM } });
	const run = async (one: ThreadId) => {
		const turnId = await session.startTurn({ threadId: one, input: [{ kind: "text", text: "Go." }] });
		await (await session.threads.open(one)).running?.ended;
		return turnId;
	};
	await run(threadId);
	const [started] = (await session.threads.open(threadId)).state().agents.values();
	const { report } = started ?? assert.fail("it has not begun");
	const other = session.threads.start({ cwd: undefined, settings: {} });
	const turnId = await run(other);
	const event = { type: "agentChanged", turnId, agent: report } as const;
	await (await session.threads.open(other)).commit([{ kind: "event", event }], "synced");
	await session.threads.close(other);
	await run(other);
	assert.match(outputsIn(model.requests.at(-1)).at(-1) ?? "", /a works for another thread/);
	assert.equal(requestsOf(model.requests, "a").length, 1);
});

test("stopping a sub-agent leaves the others alone, and one that fails says why", (t) => {
	const [slow, other] = [holds("Slow", "."), holds("Other", " is done.")];
	const plays = {
		root: [
			callsAll([agent("slow"), agent("other"), agent("broken")]),
			calls("stop_agent", { agent: "slow" }),
			says("I wait."),
			says("Done."),
			says("Done."),
			says("Done."),
		],
		slow: [slow],
		other: [other],
		broken: [fails(400)],
	};
	return shared(t, play(plays), async ({ host, model }) => {
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await Promise.all([slow.reached, other.reached]);
		await host.waitFor(threadId, (event) => event.type === "agentChanged" && event.agent.state === "interrupted");
		other.release();
		const { end } = await endOfTurn(host, threadId, turnId);
		assert.equal(end.status, "completed");
		const ends = agentsOf(host, threadId).filter(({ state }) => state !== "running");
		assert.deepEqual(
			new Map(ends.map(({ name, state }) => [name, state])),
			new Map([
				["broken", "failed"],
				["slow", "interrupted"],
				["other", "completed"],
			]),
		);
		const told = toldIn(requestsOf(model.requests, "root").at(-1));
		assert.ok(
			told.some((line) => line.startsWith("broken failed: ") && line.includes("rejected the request (400)")),
			told.join(),
		);
		slow.release();
	});
});

test("a message that is too long for a sub-agent that works is refused at once, and the sub-agent works on", (t) => {
	const held = holds("Working", " and done.");
	const text = "語".repeat(20_000);
	const plays = {
		root: [
			callsAll([agent("worker")]),
			calls("message_agent", { agent: "worker", text }),
			says("I wait."),
			says("Done."),
		],
		worker: [held],
	};
	return shared(t, play(plays), async ({ host, model }) => {
		const settings = { model: { contextWindow: 26_000 }, compaction: { auto: false } };
		const threadId = await aThread(host, { settings });
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await held.reached;
		const { event } = await host.waitFor(
			threadId,
			(event) => event.type === "itemCompleted" && isCall(event.item) && event.item.name === "message_agent",
		);
		const call = event.type === "itemCompleted" && isCall(event.item) ? event.item : assert.fail();
		assert.match(call.output ?? "", /The message has about [\d,]+ tokens; this model's limit is/);
		held.release();
		assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "completed");
		assert.deepEqual(statesOf(host, threadId), ["worker running", "worker completed"]);
		assert.equal(requestsOf(model.requests, "worker").length, 1);
	});
});

test("stopping a turn stops all its sub-agents", (t) => {
	const held = holds("Working", ".");
	return shared(t, play({ root: [callsAll([agent("worker")]), says("I wait.")], worker: [held] }), async ({ host }) => {
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await held.reached;
		await host.request(turnInterrupt, { threadId });
		assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "interrupted");
		const [, ended] = agentsOf(host, threadId);
		assert.equal(ended?.state, "interrupted");
		const child = host.events(ended?.threadId ?? assert.fail()).at(-1)?.event;
		assert.equal(child?.type === "turnCompleted" && child.status, "interrupted");
		held.release();
	});
});

test("a fifth sub-agent at once, a taken name and an unknown role are refused with the reason", (t) => {
	const all = ["a", "b", "c", "d"].map((name) => [name, holds(name, ".")] as const);
	const waits = Array.from({ length: 6 }, () => says("Done."));
	const first = callsAll([
		...all.map(([name]) => agent(name)),
		agent("e"),
		agent("a"),
		agent("f", { role: "boss" }),
		agent("parent"),
	]);
	return shared(
		t,
		play({ root: [first, ...waits], ...Object.fromEntries(all.map(([name, held]) => [name, [held]])) }),
		async ({ host, model }) => {
			const threadId = await aThread(host);
			const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
			await Promise.all(all.map(([, held]) => held.reached));
			for (const [, held] of all) held.release();
			await endOfTurn(host, threadId, turnId);
			const outputs = outputsIn(requestsOf(model.requests, "root").at(-1));
			assert.match(outputs[4] ?? "", /4 sub-agents work already/);
			assert.match(outputs[5] ?? "", /There is a sub-agent a already/);
			assert.match(outputs[6] ?? "", /There is no role boss\. Roles: explore, implement, review\./);
			assert.match(outputs[7] ?? "", /not a name for a sub-agent/);
			assert.equal(agentsOf(host, threadId).filter(({ state }) => state === "completed").length, 4);
		},
	);
});

test("a sub-agent never exceeds its parent's rights: role and plan mode only restrict, and approvals name who asks", (t) => {
	const outside = { command: ["true"], escalate: { reason: "It needs more." } };
	const plays = {
		root: [
			callsAll([agent("reader"), agent("builder", { role: "implement" })]),
			says("I wait."),
			says("Done."),
			says("Done."),
		],
		reader: [says("Read.")],
		builder: [calls("run_command", outside), says("Built.")],
	};
	return shared(t, play(plays), async ({ host, model }) => {
		approved.length = 0;
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Go.");
		const [reader] = requestsOf(model.requests, "reader");
		assert.ok(!toolsIn(reader).includes("apply_patch"));
		assert.match(reader?.text ?? "", /Mode: Read Only/);
		assert.ok(toolsIn(requestsOf(model.requests, "builder")[0]).includes("apply_patch"));
		assert.deepEqual(
			approved.map(({ agent }) => agent),
			[{ parent: threadId, name: "builder", role: "implement" }],
		);
		const own = agentsOf(host, threadId).find(({ name }) => name === "reader") ?? assert.fail();
		const copy = await host.request(threadFork, { threadId: own.threadId });
		const { settings } = await host.request(threadSettings, { threadId: copy.threadId, settings: {} });
		assert.equal(settings.permissions?.mode, "readOnly");
	}).then(() =>
		shared(
			t,
			play({
				root: [callsAll([agent("planner", { role: "implement" })]), says("I wait."), says("Done.")],
				planner: [says("Planned.")],
			}),
			async ({ host, model }) => {
				const threadId = await aThread(host, { settings: { modes: { collaboration: "plan" } } });
				await runTurn(host, threadId, "Plan.");
				const [planner] = requestsOf(model.requests, "planner");
				assert.ok(!toolsIn(planner).includes("apply_patch"));
				assert.match(planner?.text ?? "", /Plan mode is on/);
			},
		),
	);
});

test("sub-agents have the folder and rights of their turn, also when these were chosen for one turn only", (t) => {
	const adds = (name: string) => calls("apply_patch", { patch: aPatch(`*** Add File: ${name}.txt`, "+made") });
	const plays = {
		root: [
			says("Hi."),
			callsAll([agent("new", { role: "implement" }), agent("copy", { role: "implement", context: "all" })]),
			...[says("I wait."), says("Done."), says("Done.")],
		],
		new: [adds("new"), says("Made.")],
		copy: [adds("copy"), says("Made.")],
	};
	return shared(t, play(plays), async ({ host, world }) => {
		const cwd = join(world.workspace, "inner");
		mkdirSync(cwd);
		const threadId = await aThread(host, { settings: { permissions: { mode: "readOnly" } } });
		await runTurn(host, threadId, "Hi.");
		const overrides = { cwd, settings: { permissions: { mode: "workspaceWrite" as const } } };
		const input = [{ kind: "text" as const, text: "Go." }];
		const { turnId } = await host.request(turnStart, { threadId, input, overrides });
		await endOfTurn(host, threadId, turnId);
		assert.deepEqual(readdirSync(cwd).toSorted(), ["copy.txt", "new.txt"]);
	});
});

test("what the user says about a sub-agent's changes reaches the model of the thread that started it", (t) => {
	const plays = {
		root: [callsAll([agent("two", { role: "implement" })]), ...Array(4).fill(says("Ok."))],
		two: [calls("apply_patch", { patch: aPatch("*** Add File: by-two.txt", "+made") }), says("Made.")],
	};
	return shared(t, play(plays), async ({ host, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Go.");
		const own = agentsOf(host, threadId)[0]?.threadId ?? assert.fail();
		const [file = assert.fail()] = (await host.request(reviewList, { threadId: own })).files;
		const hunk = file.hunks[0]?.id ?? assert.fail();
		await host.request(reviewComment, { threadId: own, hunk, text: "Not like this." });
		await host.request(reviewReject, { threadId: own, path: file.path });
		await runTurn(host, threadId, "And?");
		const told = requestsOf(model.requests, "root").at(-1)?.text ?? "";
		assert.match(told, /by-two\.txt \(commented\).*The user says: Not like this\..*by-two\.txt \(rejected\)/);
	});
});

test("when two sub-agents change one file nothing is lost: the later one reads the change and tries again", (t) => {
	const patch = (from: string, to: string) => ({
		patch: `*** Begin Patch\n*** Update File: list.txt\n@@\n-${from}\n+${to}\n*** End Patch\n`,
	});
	const second = holds("I look.", "");
	const plays = {
		root: [
			callsAll([agent("second", { role: "implement" })]),
			callsAll([agent("first", { role: "implement" })]),
			says("I wait."),
			...Array.from({ length: 3 }, () => says("Done.")),
		],
		first: [calls("read_file", { path: "list.txt" }), calls("apply_patch", patch("one", "ONE")), says("First.")],
		second: [
			calls("read_file", { path: "list.txt" }),
			together(second, calls("apply_patch", patch("two", "TWO"))),
			calls("apply_patch", patch("two", "TWO")),
			says("Second."),
		],
	};
	return shared(t, play(plays), async ({ host, model, world }) => {
		const file = join(world.workspace, "list.txt");
		writeFileSync(file, "one\ntwo\nthree\n");
		const threadId = await aThread(host);
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await second.reached;
		await host.waitFor(
			threadId,
			(event) => event.type === "agentChanged" && event.agent.name === "first" && event.agent.state === "completed",
		);
		second.release();
		await endOfTurn(host, threadId, turnId);
		assert.equal(readFileSync(file, "utf8"), "ONE\nTWO\nthree\n");
		const outputs = outputsIn(requestsOf(model.requests, "second").at(-1));
		assert.match(outputs[1] ?? "", /changed/);
		assert.match(outputs[1] ?? "", /ONE/);
	});
});

test("a turn's limit counts its sub-agents: once it is reached all of them end, and no further request is sent", (t) => {
	const again = Array.from({ length: 10 }, () => calls("list_files", {}));
	const [a, b] = [holds("Looking", "."), holds("Looking", ".")];
	const plays = {
		root: [callsAll([agent("a"), agent("b")]), says("I wait.")],
		a: [together(a, calls("list_files", {})), ...again],
		b: [together(b, calls("list_files", {})), ...again],
	};
	const next = play(plays);
	const script = (request: RecordedRequest) => {
		// The turn waits by the time the limit is met, so it is met by a sub-agent.
		if (whoAsks(request) === "root" && request.text.includes("function_call_output"))
			for (const one of [a, b]) one.release();
		return next(request);
	};
	return shared(t, script, async ({ host, model }) => {
		const threadId = await aThread(host, { settings: { budgets: { turn: { requests: 7 } } } });
		const { end } = await runTurn(host, threadId, "Go.");
		assert.deepEqual([end.status, end.error?.code, end.error?.limit?.spent], ["failed", "budget", 7]);
		assert.equal(model.requests.length, 7);
		assert.equal(end.spent?.turn.requests, 7);
		const last = new Map(agentsOf(host, threadId).map(({ name, state }) => [name, state]));
		assert.ok([...last.values()].includes("failed"));
		assert.deepEqual([last.size, [...last.values()].includes("running")], [2, false]);
	});
});

test("a sub-agent ends at its own limit, which it names, and the others and the turn go on", (t) => {
	const again = Array.from({ length: 5 }, () => calls("list_files", {}));
	const plays = {
		root: [callsAll([agent("eager"), agent("quick")]), ...Array.from({ length: 4 }, () => says("Done."))],
		eager: again,
		quick: [says("Quick.")],
	};
	return shared(t, play(plays), async ({ host, model }) => {
		const threadId = await aThread(host, { settings: { budgets: { agent: { requests: 2 } } } });
		const { end } = await runTurn(host, threadId, "Go.");
		assert.equal(end.status, "completed");
		const told = toldIn(requestsOf(model.requests, "root").at(-1));
		assert.deepEqual(told.map((line) => line.slice(0, 80)).toSorted(), [
			"eager failed: This sub-agent has used 2 requests of the limit of 2 requests. Rai",
			"quick completed: Quick.",
		]);
		assert.equal(requestsOf(model.requests, "eager").length, 2);
		assert.equal(end.spent?.turn.requests, model.requests.length);
	});
});

test("a sub-agent with a limit of 100,000 minutes, longer than any timer, works to its end", (t) =>
	shared(
		t,
		play({ root: [callsAll([agent("patient")]), says("I wait."), says("Done.")], patient: [says("Found.")] }),
		async ({ host }) => {
			const threadId = await aThread(host, { settings: { budgets: { agent: { minutes: 100_000 } } } });
			await runTurn(host, threadId, "Go.");
			assert.deepEqual(statesOf(host, threadId), ["patient running", "patient completed"]);
		},
	));

test("with two levels allowed, sub-agents start sub-agents within every limit and right above them, but no third level", (t) => {
	const plays = {
		root: [callsAll([agent("lead")]), says("I wait."), says("Done.")],
		lead: [callsAll([agent("hand", { role: "implement" })]), says("I wait."), says("Led.")],
		hand: [says("Handled.")],
	};
	return shared(t, play(plays), async ({ host, model }) => {
		const settings = { tools: { agentDepth: 2 }, modes: { collaboration: "plan" } } as const;
		const threadId = await aThread(host, { settings });
		const { end } = await runTurn(host, threadId, "Go.");
		assert.equal(end.status, "completed");
		const lead = requestsOf(model.requests, "lead");
		assert.deepEqual(toldIn(lead.at(-1)), ["hand completed: Handled."]);
		assert.deepEqual(toldIn(requestsOf(model.requests, "root").at(-1)), ["lead completed: Led."]);
		const [hand] = requestsOf(model.requests, "hand");
		assert.ok(toolsIn(lead[0]).includes("start_agent"));
		// Its parent only reads, and the whole tree plans.
		assert.deepEqual(
			["start_agent", "apply_patch"].map((name) => toolsIn(hand).includes(name)),
			[false, false],
		);
		assert.match(hand?.text ?? "", /Plan mode is on/);
		assert.equal(end.spent?.turn.requests, model.requests.length);
		await host.request(threadDelete, { threadId });
		const { threads } = await host.request(threadList, { limit: 1_000 });
		assert.deepEqual(
			threads.filter(({ agent: of }) => of?.name === "hand" || of?.name === "lead"),
			[],
		);
	});
});

test("what sub-agents found survives a crash of the host: the next turn reads it, including which of them were cut off", (t) => {
	const [quick, slow] = [holds("Quick", " is done."), holds("Slow", ".")];
	const patch = aPatch("*** Add File: made.txt", "+made");
	const plays = {
		root: [callsAll([agent("quick"), agent("slow", { role: "implement" })]), hangs(), says("I know both.")],
		quick: [quick],
		slow: [calls("apply_patch", { patch }), slow],
	};
	return withHost(t, { script: play(plays), settings: { model: ROOM } }, async ({ host, another, model }) => {
		const threadId = await aThread(host);
		await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		await Promise.all([quick.reached, slow.reached]);
		quick.release();
		await host.waitFor(threadId, (event) => event.type === "agentChanged" && event.agent.state === "completed");
		await host.killHard();
		slow.release();
		const next = await another();
		const { end } = await runTurn(next, threadId, "And?");
		assert.equal(end.status, "completed");
		const told = toldIn(requestsOf(model.requests, "root").at(-1));
		assert.deepEqual(
			told.map((line) => line.replace(/:.*/, "")),
			["quick completed", "slow interrupted"],
		);
		assert.deepEqual(statesOf(next, threadId), ["slow interrupted"]);
		assert.match(requestsOf(model.requests, "root").at(-1)?.text ?? "", /Files it changed:\\n- [^ ]*made\.txt\\n</);
		assert.equal(agentsOf(next, threadId)[0]?.changedFiles, 1);
	});
});

test("hooks of sub-agents run at their start and end, and only for the roles they name", (t) => {
	const hooks = {
		SubagentStart: [{ matcher: "explore", hooks: [{ type: "command", command: "echo Mind the tests." }] }],
		SubagentStop: [{ matcher: "review", hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }],
		Stop: [{ hooks: [{ type: "command", command: "cat > stopped.json" }] }],
	};
	const plays = { root: [callsAll([agent("a")]), says("I wait."), says("Done.")], a: [says("Found.")] };
	return shared(t, play(plays), async ({ host, model, world }) => {
		mkdirSync(join(world.workspace, ".claude"), { recursive: true });
		writeFileSync(join(world.workspace, ".claude/settings.json"), JSON.stringify({ hooks }));
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Go.");
		const [child] = requestsOf(model.requests, "a");
		assert.match(child?.text ?? "", /<hook_context hook=\\"SubagentStart\\">\\nMind the tests\./);
		const [{ threadId: own } = assert.fail()] = agentsOf(host, threadId);
		const names = host
			.events(own)
			.flatMap(({ event }) => (event.type === "itemCompleted" && event.item.kind === "hook" ? [event.item.name] : []));
		assert.deepEqual(names, ["SubagentStart"]);
		assert.equal(JSON.parse(readFileSync(join(world.workspace, "stopped.json"), "utf8")).session_id, threadId);
	});
});

test("a rollback frees the names of its turns' sub-agents, and undoing it brings the sub-agents back", (t) => {
	const ask = calls("message_agent", { agent: "finder", text: "Once more." });
	const plays = {
		root: [
			...[callsAll([agent("finder")]), says("I wait."), says("Found.")],
			...[ask, says("There is none.")],
			...[callsAll([agent("finder")]), says("I wait."), says("Found again.")],
			...[ask, says("I wait."), says("Found once more.")],
		],
		finder: [says("The first."), says("The second."), says("The first again.")],
	};
	return shared(t, play(plays), async ({ host, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Find it.");
		await host.request(threadRollback, { threadId, turns: 1 });
		await runTurn(host, threadId, "Ask it.");
		assert.match(model.requests[5]?.text ?? "", /There is no sub-agent finder\./);
		await runTurn(host, threadId, "Find it.");
		await host.request(threadRestoreRedo, { threadId });
		await runTurn(host, threadId, "Ask it.");
		const [first, second] = [...new Set(agentsOf(host, threadId).map((one) => one.threadId))];
		assert.deepEqual(
			agentsOf(host, threadId)
				.filter(({ state }) => state === "completed")
				.map((one) => [one.threadId, one.summary]),
			[
				[first, "The first."],
				[second, "The second."],
				[first, "The first again."],
			],
		);
	});
});
