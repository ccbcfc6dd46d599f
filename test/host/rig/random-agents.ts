import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentReport } from "../../../agent-host/protocol/agent.ts";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import type { PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import type { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import { isCall } from "../../../agent-host/protocol/thread/item.ts";
import { threadRead } from "../../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart, turnSteer } from "../../../agent-host/protocol/thread/turn.ts";
import type { RecordedRequest } from "../../support/fake-model-request.ts";
import { calls, callsAll, fails, type Step, says } from "../../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess } from "../../support/host-process.ts";
import type { SharedTest } from "./share-host.ts";

const MODES = ["readOnly", "ask", "workspaceWrite"] as const;
const ROLES = ["explore", "implement", "review"] as const;
/** Steps of the thread, then of an agent: enough to start, write, stop, wait and go on. */
const MAX_STEPS = { root: 7, agent: 3 };
const LIST = "list.txt";

/** The same number below `below` for the same seed and the same moment, in whichever order requests come. */
export function pickNumber(seed: number, moment: string, below: number): number {
	return createHash("sha256").update(`${seed} ${moment}`).digest().readUInt32BE(0) % below;
}

export function settingsFor(seed: number): PartialSettings {
	return {
		permissions: { mode: MODES[pickNumber(seed, "mode", MODES.length)] ?? "workspaceWrite" },
		tools: { agentDepth: 1 + pickNumber(seed, "depth", 2) },
		modes: { collaboration: pickNumber(seed, "plan", 5) === 0 ? "plan" : "default" },
		...(pickNumber(seed, "limit", 5) === 0 && { budgets: { turn: { requests: 6 }, agent: { requests: 2 } } }),
	};
}

/** What every agent does next, by chance. */
export function scriptFor(seed: number): (request: Pick<RecordedRequest, "text">) => Step {
	const asked = new Map<string, number>();
	return (request) => {
		const who = /<agent_role name=\\"([a-z0-9-]+)\\"/.exec(request.text)?.[1] ?? "root";
		const step = asked.get(who) ?? 0;
		asked.set(who, step + 1);
		const moment = `${who} ${step}`;
		const pick = (what: string, below: number): number => pickNumber(seed, `${moment} ${what}`, below);
		if (step >= (who === "root" ? MAX_STEPS.root : MAX_STEPS.agent)) return says(`${moment} is done.`);
		const name = (of: string): string => `${who === "root" ? "" : `${who}-`}${"abcd"[pick(of, 4)]}`;
		const start = (of: string): readonly [string, object] => [
			"start_agent",
			{ name: name(of), role: ROLES[pick(`${of} role`, 3)], task: `Task of ${moment}.` },
		];
		// Every schedule begins with agents.
		if (moment === "root 0") return callsAll([start("one"), start("two"), start("three")]);
		switch (pick("act", who === "root" ? 9 : 8)) {
			case 0:
				return says(`${moment} rests.`);
			case 1:
				return calls("read_file", { path: LIST });
			case 2:
				return calls("apply_patch", {
					patch: `*** Begin Patch\n*** Update File: ${LIST}\n@@\n-end\n+${moment}\n+end\n*** End Patch\n`,
				});
			case 3:
				return calls("message_agent", { agent: who === "root" ? name("to") : "parent", text: `From ${moment}.` });
			case 4:
				return calls("run_command", { command: ["true"], escalate: { reason: "By chance." } });
			case 5:
				return who === "root" ? calls("stop_agent", { agent: name("stop") }) : fails(400);
			case 6:
				return calls("wait_agents", { seconds: 0.05 });
			default:
				return callsAll([start("one"), ...(pick("more", 2) === 0 ? [start("two"), start("three")] : [])]);
		}
	};
}

/** Plays one schedule to its end, and looks at all that it left. */
export async function playSchedule(seed: number, { host, world }: Pick<SharedTest, "host" | "world">): Promise<number> {
	const file = join(world.workspace, LIST);
	writeFileSync(file, "begin\nend\n");
	const threadId = await aThread(host, { settings: settingsFor(seed) });
	const input = [{ kind: "text" as const, text: `Schedule ${seed}.` }];
	const { turnId } = await host.request(turnStart, { threadId, input });
	const disturbance = pickNumber(seed, "disturb", 4);
	if (disturbance < 2) {
		await host.waitFor(threadId, ({ type }) => type === "agentChanged" || type === "turnCompleted");
		// It may be over by now.
		const disturb =
			disturbance === 0
				? host.request(turnInterrupt, { threadId })
				: host.request(turnSteer, { threadId, turnId, input: [{ kind: "text", text: "And this." }] });
		await disturb.catch(() => undefined);
	}
	await endOfTurn(host, threadId, turnId);
	const threads = await checkBelow(seed, host, threadId);
	const patched = [threadId, ...threads].flatMap((one) => linesPatched(host.events(one)));
	const lines = readFileSync(file, "utf8").trim().split("\n");
	assert.deepEqual(lines.slice(1, -1).toSorted(), patched.toSorted(), `seed ${seed}: an edit was lost`);
	return threads.length;
}

/** Every agent below a thread has ended, is told of and recorded whole, and had no more than its parent. */
async function checkBelow(seed: number, host: HostProcess, parent: ThreadId): Promise<readonly ThreadId[]> {
	const events = await readWhole(seed, host, parent);
	const byName = Map.groupBy(
		events.flatMap(({ event }) => (event.type === "agentChanged" ? [event.agent] : [])),
		({ name }) => name,
	);
	const told = events.flatMap(({ event }) => (event.type === "contextUpdated" ? event.fragments : []));
	const ends = [...byName.values()].flat().filter(({ state }) => state !== "running");
	const notices = told.filter(({ kind }) => kind === "subagent-notification").length;
	assert.ok(notices >= ends.length, `seed ${seed}: ${ends.length} ends, ${notices} told`);
	const below: ThreadId[] = [];
	for (const [name, reports] of byName) {
		const states = reports.map(({ state }) => state);
		assert.ok(states.length % 2 === 0, `seed ${seed}: ${name} ${states.join(" ")}`);
		for (const [at, state] of states.entries())
			assert.equal(state === "running", at % 2 === 0, `seed ${seed}: ${name}`);
		const [{ threadId } = assert.fail()] = reports;
		checkRights(seed, events, host.events(threadId), reports);
		below.push(threadId, ...(await checkBelow(seed, host, threadId)));
	}
	return below;
}

/** What is on disk is what was published, each event once and in order, and every turn of it has ended. */
async function readWhole(seed: number, host: HostProcess, threadId: ThreadId): Promise<readonly PublishedEvent[]> {
	const { events } = await host.request(threadRead, { threadId, limit: 10_000 });
	assert.deepEqual(
		events.map(({ seq }) => seq),
		events.map((_, index) => index + 1),
		`seed ${seed}: a hole`,
	);
	const published = host.events(threadId).filter(({ seq }) => seq !== undefined);
	assert.deepEqual(published, events, `seed ${seed}: an item was lost`);
	const count = (type: string): number => events.filter(({ event }) => event.type === type).length;
	assert.equal(count("turnStarted"), count("turnCompleted"), `seed ${seed}: a turn goes on`);
	return events;
}

export function checkRights(
	seed: number,
	above: readonly PublishedEvent[],
	own: readonly PublishedEvent[],
	[{ name } = assert.fail()]: readonly AgentReport[],
): void {
	const envelopes = (events: readonly PublishedEvent[]) =>
		events.flatMap(({ event }) => (event.type === "turnStarted" ? [event.envelope] : []));
	const limits = envelopes(above);
	for (const { tools, permissionMode } of envelopes(own)) {
		const isWithin = limits.some(
			(limit) =>
				tools.every((tool) => tool === "message_agent" || limit.tools.includes(tool)) &&
				MODES.indexOf(permissionMode as (typeof MODES)[number]) <=
					MODES.indexOf(limit.permissionMode as (typeof MODES)[number]),
		);
		assert.ok(isWithin, `seed ${seed}: ${name} has ${permissionMode} with ${tools.join(", ")}`);
	}
}

/** The lines that patches of a thread have added, by what they reported. */
function linesPatched(events: readonly PublishedEvent[]): readonly string[] {
	return events.flatMap(({ event }) => {
		if (event.type !== "itemCompleted" || !isCall(event.item)) return [];
		const { name, status, arguments: given } = event.item;
		return name === "apply_patch" && status === "completed" ? [/\+((?:root|[a-d-]+) \d+)/.exec(given)?.[1] ?? ""] : [];
	});
}
