import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { threadCompact, threadCompactUndo, threadPin } from "../../../agent-host/protocol/thread/compaction.ts";
import { contextInspect, threadMute } from "../../../agent-host/protocol/thread/context.ts";
import {
	reviewKeep,
	reviewList,
	reviewReject,
	threadRestore,
	threadRestoreRedo,
} from "../../../agent-host/protocol/thread/review.ts";
import {
	threadClose,
	threadExport,
	threadFork,
	threadList,
	threadRead,
	threadReplay,
	threadResume,
	threadRollback,
	threadSettings,
} from "../../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart, turnSteer } from "../../../agent-host/protocol/thread/turn.ts";
import type { FakeModel } from "../../support/fake-model.ts";
import {
	calls,
	callsAll,
	cutsAfter,
	endsWithoutCompleted,
	fails,
	incomplete,
	refuses,
	type Step,
	says,
	thinks,
	together,
	withUsage,
} from "../../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, RpcError } from "../../support/host-process.ts";
import { pickNumber } from "./random-agents.ts";
import { type HostTest, withWorld } from "./with-host.ts";

const ACTS = 40;
const MODES = ["readOnly", "workspaceWrite"] as const;
const WIRES = ["responses", "chat", "messages", "gemini"] as const;
const REFUSALS: ReadonlySet<unknown> = new Set([
	"turn-in-progress",
	"input-refused",
	"compaction-refused",
	"steer-refused",
	"restore-refused",
]);

export function testAnyOrder(plays: number): void {
	for (let seed = 1; seed <= plays; seed += 1) {
		const chance = createChance(seed);
		const settings = { model: { contextWindow: 16_000 + chance(3) * 20_000 }, retry: { attempts: 1 } };
		test(`whatever is done to a thread in whatever order, it can be replayed, and what is shown is sent and comes back (${seed})`, (t) =>
			withWorld(t, { script: () => anyStep(chance), settings }, async (rig) => {
				writeFileSync(join(rig.world.workspace, "README.md"), "# Read me\n");
				const turns = await playAnyOrder(chance, rig);
				t.diagnostic(`${turns} turns`);
				assert.ok(turns > 3, `only ${turns} turns`);
			}));
	}
}

/** A number below another one, by chance. */
type Chance = (below: number) => number;

/** A new source of chance; the same for the same seed. */
function createChance(seed: number): Chance {
	let asked = 0;
	return (below) => {
		asked += 1;
		return pickNumber(seed, `${asked}`, below);
	};
}

/** Any answer that a server gives: words, calls, faults. */
function anyStep(pick: Chance): Step {
	const usage = { input: 100 + pick(9_000), cached: 0, output: 5 + pick(100), reasoning: 0 };
	const steps: readonly (() => Step)[] = [
		() => withUsage(says("Some words of an answer. ".repeat(1 + pick(40))), usage),
		() => withUsage(says("Done."), usage),
		() => together(thinks("Let me think."), says("Thought.")),
		() => calls("read_file", { path: "README.md" }),
		() => calls("run_command", { command: "echo more >> README.md" }),
		() => calls("apply_patch", { patch: `*** Begin Patch\n*** Add File: ${pick(1_000)}.txt\n+new\n*** End Patch` }),
		() => callsAll([["read_file", { path: "README.md" }] as const, ["list_files", { path: "." }] as const]),
		() =>
			calls("apply_patch", {
				patch: `*** Begin Patch\n*** Update File: README.md\n@@\n-# Read me\n+# Read me\n+${pick(99)}\n*** End Patch`,
			}),
		() => calls("start_agent", { name: `helper-${pick(1_000)}`, role: "explore", task: "Look around." }),
		() => calls("wait_agents", {}),
		() => calls("read_file", "{not json"),
		() => fails(500),
		() => refuses(400, "context_length_exceeded"),
		() => cutsAfter("Half of an answer that was cut off.", 300),
		() => incomplete("max_output_tokens", "Half"),
		() => endsWithoutCompleted("Half"),
	];
	return steps[pick(steps.length)]?.() ?? says("Done.");
}

/** Everything that a client does to a thread, as often as it is done. */
function listActs(host: HostProcess, threadId: ThreadId, turns: readonly TurnId[], pick: Chance) {
	const prompt = [{ kind: "text" as const, text: `Prompt ${pick(100)}, please.` }];
	const turnId = turns[pick(Math.max(1, turns.length))];
	const newest = turns.at(-1);
	const start = () => host.request(turnStart, { threadId, input: prompt });
	const mute = async () => {
		const { items } = await host.request(contextInspect, { threadId });
		const found = items.flatMap(({ mutable }) => mutable ?? []);
		const one = found[pick(Math.max(1, found.length))];
		if (one) await host.request(threadMute, { threadId, at: one.at, chars: one.chars, muted: !one.muted });
	};
	const mode = MODES[pick(MODES.length)] ?? "readOnly";
	const wire = WIRES[pick(WIRES.length)] ?? "responses";
	return [
		...[start, start, start, start],
		() => host.request(turnStart, { threadId, input: [{ kind: "shell", command: "echo mine" }] }),
		() => newest && host.request(turnSteer, { threadId, turnId: newest, input: prompt }),
		() => host.request(turnInterrupt, { threadId }),
		() => host.request(threadCompact, { threadId }),
		() => turnId && host.request(threadCompact, { threadId, throughTurnId: turnId }),
		() => host.request(threadCompactUndo, { threadId }),
		() => host.request(threadRollback, { threadId, turns: 1 + pick(2) }),
		() => turnId && host.request(threadRestore, { threadId, turnId, what: pick(2) === 0 ? "both" : "files" }),
		() => host.request(threadRestoreRedo, { threadId }),
		() => host.request(threadSettings, { threadId, settings: { permissions: { mode } } }),
		() => host.request(threadSettings, { threadId, settings: { model: { wire } } }),
		() => turnId && host.request(threadPin, { threadId, turnId }),
		() => host.request(reviewKeep, { threadId }),
		() => host.request(reviewReject, { threadId }),
		mute,
	] as const;
}

/**
 * Plays acts at random, now and then without waiting for the one before, and restarts the host twice. Returns how many
 * turns there were.
 */
async function playAnyOrder(pick: Chance, { another, model }: Omit<HostTest, "host">): Promise<number> {
	let host = await another();
	const threadId = await aThread(host);
	await host.request(turnStart, { threadId, input: [{ kind: "text", text: "The first prompt." }] });
	let asked: Promise<void>[] = [];
	for (let act = 1; act <= ACTS; act += 1) {
		const acts = listActs(host, threadId, (await readTurns(host, threadId)).began, pick);
		asked.push(answered(acts[pick(acts.length)]?.()));
		const isRestart = act % (ACTS / 2) === 0;
		if (!isRestart && pick(3) === 0) continue;
		await Promise.all(asked);
		asked = [];
		await atRest(host, threadId);
		if (pick(4) === 0) await checkPreview(host, threadId, model);
		if (pick(8) === 0) await checkFork(host, threadId);
		if (!isRestart) continue;
		await checkRecords(host, threadId);
		const before = await look(host, threadId);
		await (pick(2) === 0 ? host.close() : host.killHard());
		host = await another();
		await host.request(threadResume, { threadId });
		assert.deepEqual(await look(host, threadId), before, "the next host shows the same");
	}
	return (await readTurns(host, threadId)).began.length;
}

/** What is shown of the next request is what a turn sends, unless it compacts before. */
async function checkPreview(host: HostProcess, threadId: ThreadId, { requests }: FakeModel): Promise<void> {
	const text = `The prompt before request ${requests.length}.`;
	const input = [{ kind: "text" as const, text }];
	const { raw = "" } = await host.request(contextInspect, { threadId, input, raw: true });
	const begun = host.request(turnStart, { threadId, input });
	await answered(begun);
	const { turnId } = await begun.catch(() => ({ turnId: undefined }));
	// A compaction began meanwhile.
	if (turnId === undefined) return;
	await endOfTurn(host, threadId, turnId);
	const { events } = await readTurns(host, threadId);
	if (events.some((event) => event.type === "compactionStarted" && event.turnId === turnId)) return;
	const sent = requests.find(({ body }) => JSON.stringify(body).includes(text));
	assert.deepEqual(JSON.parse(raw), sent?.body, "the next request");
}

/** A fork goes on as a thread of its own. */
async function checkFork(host: HostProcess, threadId: ThreadId): Promise<void> {
	const fork = await host.request(threadFork, { threadId });
	const { turnId } = await host.request(turnStart, { ...fork, input: [{ kind: "text", text: "In the fork." }] });
	await endOfTurn(host, fork.threadId, turnId);
	await checkRecords(host, fork.threadId);
	const before = await look(host, fork.threadId);
	await host.request(threadClose, fork);
	await host.request(threadResume, fork);
	assert.deepEqual(await look(host, fork.threadId), before, "the fork, opened again");
}

/** It may be refused, but for a reason that the user can act on. */
async function answered(done: Promise<unknown> | undefined): Promise<void> {
	await done?.catch((error: unknown) => {
		const kind = error instanceof RpcError ? (error.data as { readonly kind?: string }).kind : undefined;
		assert.ok(REFUSALS.has(kind), String(error));
	});
}

async function readTurns(host: HostProcess, threadId: ThreadId) {
	const events = (await host.request(threadRead, { threadId })).events.map(({ event }) => event);
	const began = events.flatMap((event) => (event.type === "turnStarted" ? [event.turnId] : []));
	const ended = events.flatMap((event) => (event.type === "turnCompleted" ? [event.turnId] : []));
	return { events, began, ended };
}

async function atRest(host: HostProcess, threadId: ThreadId): Promise<void> {
	for (let ended = -1; ; ) {
		const turns = await readTurns(host, threadId);
		for (const turnId of turns.began) if (!turns.ended.includes(turnId)) await endOfTurn(host, threadId, turnId);
		// A compaction that was asked for during a turn may begin after it.
		if (turns.ended.length === ended && turns.began.length === ended) return;
		ended = turns.ended.length;
		await host.request(contextInspect, { threadId });
	}
}

/** Every turn has ended once, with all that began in it, and every request comes out of the records again. */
async function checkRecords(host: HostProcess, threadId: ThreadId): Promise<void> {
	const { events, began, ended } = await readTurns(host, threadId);
	assert.deepEqual(ended, began);
	const itemsOf = (type: "itemStarted" | "itemCompleted") =>
		events.flatMap((event) => (event.type === type ? [event.item.id] : []));
	const done = new Set(itemsOf("itemCompleted"));
	assert.deepEqual(
		itemsOf("itemStarted").filter((id) => !done.has(id)),
		[],
		"items that never ended",
	);
	const { text } = await host.request(threadExport, { threadId });
	const { difference, unreadable } = await host.request(threadReplay, { text });
	assert.deepEqual([difference, unreadable], [undefined, 0], "a replay");
}

/** What a user sees of a thread. */
async function look(host: HostProcess, threadId: ThreadId) {
	const { items, tokens } = await host.request(contextInspect, { threadId });
	const { threads } = await host.request(threadList, {});
	return {
		tokens,
		// What a cache holds, only the host knows that filled it.
		items: items.map((item) => ({ ...item, cached: false })),
		row: threads.find((thread) => thread.threadId === threadId),
		pending: await host.request(reviewList, { threadId }),
		transcript: (await readTurns(host, threadId)).events,
	};
}
