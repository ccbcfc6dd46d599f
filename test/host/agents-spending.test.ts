import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { Spent } from "../../agent-host/protocol/thread/events.ts";
import { threadFork, threadRead, threadRollback } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { sumLines } from "../../agent-host/spending/spent.ts";
import type { World } from "../support/canaries.ts";
import { calls, callsAll, holds, says, withUsage } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { agent, play } from "./rig/play-agents.ts";
import { withHost } from "./rig/with-host.ts";

/** A quarter of a dollar: sums of it are exact. */
const PRICES = { "fake-1": { input: 2, cached: 2, output: 2 } };
const COUNTED = { input: 100_000, cached: 0, output: 25_000, reasoning: 0 };

type Sum = Pick<Spent, "tokens" | "money" | "requests">;

/** What so many answers cost, with so many requests. */
function costs(answers: number, requests = answers): Sum {
	return { tokens: answers * 125_000, money: answers * 0.25, requests };
}

function pickSum({ tokens, money, requests }: Spent): Sum {
	return { tokens, money, requests };
}

async function threadSum(host: HostProcess, threadId: ThreadId): Promise<Sum> {
	const { events } = await host.request(threadRead, { threadId, limit: 10_000 });
	const last = events.findLast(({ event }) => event.type === "turnCompleted")?.event;
	return last?.type === "turnCompleted" && last.spent !== undefined ? pickSum(last.spent.thread) : assert.fail();
}

function daySum({ home }: World): Sum {
	const folder = join(home, "spending");
	return pickSum(
		sumLines(
			readdirSync(folder)
				.map((name) => readFileSync(join(folder, name), "utf8"))
				.join("\n"),
		),
	);
}

test("a thread whose host is killed amid its sub-agents is charged what all of them spent, once", (t) => {
	const look = () => withUsage(calls("list_files", {}), COUNTED);
	const held = ["a", "b", "hand"].map((name) => holds(`${name} looks`, "."));
	const [a, b, hand] = held.map((one) => withUsage(one, COUNTED));
	assert.ok(a && b && hand);
	const plays = {
		root: [
			withUsage(callsAll([agent("a"), agent("b"), agent("lead")]), COUNTED),
			withUsage(says("I wait."), COUNTED),
			withUsage(calls("message_agent", { agent: "a", text: "Go on." }), COUNTED),
			withUsage(says("I wait again."), COUNTED),
			withUsage(says("Done."), COUNTED),
			withUsage(says("Done."), COUNTED),
			withUsage(says("Done."), COUNTED),
		],
		a: [look(), look(), a, withUsage(says("A found."), COUNTED)],
		b: [look(), b],
		lead: [withUsage(callsAll([agent("hand")]), COUNTED), withUsage(says("I wait."), COUNTED)],
		hand: [look(), look(), look(), hand],
	};
	const settings = { model: { contextWindow: 1_000_000, prices: PRICES }, tools: { agentDepth: 2 } };
	return withHost(t, { script: play(plays), settings }, async ({ host, another, world, model }) => {
		const threadId = await aThread(host);
		await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Go." }] });
		const counted = (of: ThreadId, tokens: number) =>
			host.waitFor(of, (event) => event.type === "usage" && event.total.total === tokens);
		const { event } = await host.waitFor(threadId, (one) => one.type === "agentChanged" && one.agent.name === "lead");
		const lead = event.type === "agentChanged" ? event.agent.threadId : assert.fail();
		await Promise.all([...held.map(({ reached }) => reached), counted(threadId, 250_000), counted(lead, 250_000)]);
		const [answers, asked] = [2 + 2 + 1 + 2 + 3, model.requests.length];
		assert.equal(asked, answers + held.length);
		await host.killHard();
		const next = await another();
		assert.deepEqual(await threadSum(next, threadId), costs(answers, asked));
		assert.deepEqual(daySum(world), costs(answers, asked));
		const adds = async (of: ThreadId): Promise<void> => {
			const requests = model.requests.length;
			assert.deepEqual(await threadSum(next, of), costs(requests - held.length, requests));
			assert.deepEqual(daySum(world), costs(requests - held.length, requests));
		};
		await adds(threadId);
		// What one that goes on has spent before, or in turns that are rolled back or forked, is not counted again.
		await runTurn(next, threadId, "And?");
		assert.ok(agentsOf(next, threadId).includes("a completed"));
		await adds(threadId);
		await next.request(threadRollback, { threadId, turns: 1 });
		await runTurn(next, threadId, "Again?");
		await adds(threadId);
		const fork = await next.request(threadFork, { threadId });
		await runTurn(next, fork.threadId, "And here?");
		await adds(fork.threadId);
	});
});

function agentsOf(host: HostProcess, threadId: ThreadId): readonly string[] {
	return host
		.events(threadId)
		.flatMap(({ event }) => (event.type === "agentChanged" ? [`${event.agent.name} ${event.agent.state}`] : []));
}
