import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { callsAll, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess } from "../support/host-process.ts";
import { shareHost } from "./rig/share-host.ts";

const withShared = shareHost({});
/** Of one turn, all at the same time. */
const COMMANDS = 3;

/** Processes of a command anywhere on the machine, found by a number that only it has. */
function alive(mark: string): readonly string[] {
	return readdirSync("/proc").filter((pid) => {
		if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
		try {
			return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`sleep ${mark}`);
		} catch {
			return false;
		}
	});
}

/** A turn with commands of every kind, interrupted once so many of its events were seen and so many rounds of this loop passed. */
async function interruptAfter(host: HostProcess, mark: string, events: number, rounds: number): Promise<void> {
	const threadId = await aThread(host);
	const started = host.request(turnStart, { threadId, input: [{ kind: "text", text: "Run them." }] });
	const began = () => host.events(threadId).filter(({ event }) => event.type === "itemStarted").length;
	if (events > 0) await host.waitFor(threadId, () => host.events(threadId).length >= events || began() === COMMANDS);
	for (let round = 0; round < rounds; round += 1) await new Promise(setImmediate);
	await host.request(turnInterrupt, { threadId });
	assert.deepEqual(alive(mark), [], `after ${events} events and ${rounds} rounds`);
	const { turnId } = await started;
	const { end } = await endOfTurn(host, threadId, turnId);
	assert.equal(end.status, "interrupted", `after ${events} events and ${rounds} rounds`);
}

test("an interrupt at any moment of a turn with commands ends it and all its processes before it is answered", (t) => {
	const mark = `9999${process.pid}`;
	const args = [
		{ command: `sleep ${mark}` },
		{ command: ["/bin/bash", "-c", `sleep ${mark}`] },
		{ command: `sleep ${mark}`, yieldMs: 60_000 },
	];
	const step = callsAll(args.map((one) => ["run_command", one]));
	return withShared(
		t,
		() => step,
		async ({ host }) => {
			for (let events = 0; events < 12; events += 1) await interruptAfter(host, mark, events, events % 3);
			for (let rounds = 0; rounds < 40; rounds += 4) await interruptAfter(host, mark, 6, rounds);
		},
	);
});

test("an interrupt that arrives while the turn's start is being recorded ends it", (t) =>
	withShared(
		t,
		() => says("done"),
		async ({ host }) => {
			for (let round = 0; round < 10; round += 1) {
				const threadId = await aThread(host);
				const started = host.request(turnStart, { threadId, input: [{ kind: "text", text: "x" }] });
				await host.request(turnInterrupt, { threadId });
				const { turnId } = await started;
				assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "interrupted");
			}
		},
	));
