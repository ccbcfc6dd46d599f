import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { threadCompact, threadCompactUndo, threadPin } from "../../agent-host/protocol/thread/compaction.ts";
import { contextInspect } from "../../agent-host/protocol/thread/context.ts";
import { threadRestoreRedo } from "../../agent-host/protocol/thread/review.ts";
import { threadFork, threadRollback } from "../../agent-host/protocol/thread/thread.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, says, together } from "../support/fake-model-steps.ts";
import { type HostProcess, runTurn } from "../support/host-process.ts";
import { aTalk, isCompaction, long, sumsUp } from "./rig/compaction.ts";
import { type HostTest, withHost } from "./rig/with-host.ts";

const RUNS = process.env.VITRINE_FULL === "1" ? 100 : 6;
const SMALL = { model: { contextWindow: 8_000 }, compaction: { percent: 70 } };

type Move =
	/** How many compactions the turn makes inside, and whether its answer fills the window for the next one. */
	| { readonly kind: "turn"; readonly inside: number; readonly fills: boolean }
	| { readonly kind: "compact" | "undo" | "fork" | "resume" | "pin" | "undoRollback" }
	| { readonly kind: "rollback"; readonly turns: number };

const moves = fc.array(
	fc.oneof(
		{
			weight: 4,
			arbitrary: fc.record({
				kind: fc.constant("turn" as const),
				inside: fc.constantFrom(0, 0, 1, 3),
				fills: fc.constantFrom(false, false, true),
			}),
		},
		{ weight: 3, arbitrary: fc.record({ kind: fc.constant("rollback" as const), turns: fc.constantFrom(1, 1, 2, 3) }) },
		{
			weight: 3,
			arbitrary: fc.record({ kind: fc.constantFrom("compact", "undo", "fork", "resume", "pin" as const) }),
		},
		{ weight: 3, arbitrary: fc.record({ kind: fc.constant("undoRollback" as const) }) },
	),
	{ minLength: 8, maxLength: 16, size: "max" },
);

interface Standing {
	readonly turnId: TurnId;
	readonly prompt: string;
	/** The conversation as it was before the turn. */
	readonly before: readonly string[];
	/** Earlier compactions that were in effect then. */
	readonly undone: number;
}

/** What an undo of a rollback has to bring back. */
interface Version {
	readonly turns: readonly Standing[];
	readonly pins: ReadonlyMap<TurnId, string>;
	readonly undone: number;
	readonly said: readonly string[];
}

test("after any mix of compaction, undo, rollback, restore, fork and resume, exactly what still counts is there", (t) =>
	withHost(t, { script: [] }, async (rig) => {
		const seen = { restored: 0, returned: 0, pinned: 0, undone: 0 };
		let { host } = rig;
		const resumed = async () => {
			await host.close();
			host = await rig.another();
			return host;
		};
		await fc.assert(
			fc.asyncProperty(moves, (all) => play(t, { host, world: rig.world, resumed }, all, seen)),
			{ numRuns: RUNS, endOnFailure: true },
		);
		assert.ok(seen.restored > RUNS / 2 && seen.returned > RUNS / 5, `${JSON.stringify(seen)} show too little`);
		t.diagnostic(JSON.stringify(seen));
	}));

async function play(
	t: Parameters<typeof withHost>[0],
	rig: Pick<HostTest, "host" | "world"> & { readonly resumed: () => Promise<HostProcess> },
	all: readonly Move[],
	seen: { restored: number; returned: number; pinned: number; undone: number },
): Promise<void> {
	let { host } = rig;
	let [inside, fills] = [0, false];
	let prompt = "";
	const answer = (request: RecordedRequest) => {
		if (isCompaction(request)) return sumsUp(prompt, []);
		inside -= 1;
		if (inside >= 0) return together(says(long(3_600), { chunk: 4_000 }), calls("read_file", { path: "README.md" }));
		return says(fills ? long(4_000) : "Done.", { chunk: 4_000 });
	};
	const talk = await aTalk(t, rig, answer, SMALL);
	let threadId: ThreadId = talk.threadId;
	let turns: Standing[] = [];
	let undone = 0;
	let pins = new Map<TurnId, string>();
	const prompts: string[] = [];
	const versions: Version[] = [];
	const version = async (): Promise<Version> => ({
		...{ turns: [...turns], pins: new Map(pins), undone },
		said: await conversation(host, threadId),
	});
	for (const move of all) {
		switch (move.kind) {
			case "turn": {
				const before = turns.length === 0 ? [] : await conversation(host, threadId);
				prompt = `Task ${prompts.length}-${talk.model.requests.length}.`;
				prompts.push(prompt);
				[inside, fills] = [move.inside, move.fills];
				const { turnId, end } = await runTurn(host, threadId, prompt);
				assert.equal(end.status, "completed", end.error?.message);
				turns.push({ turnId, prompt, before, undone });
				break;
			}
			case "compact": {
				if (turns.length === 0) break;
				const ended = () => host.events(threadId).filter(({ event }) => event.type === "turnCompleted").length;
				const known = ended();
				const begun = await host.request(threadCompact, { threadId }).then(
					() => true,
					({ message }: Error) => assert.match(message, /^Nothing was said since the last compaction/),
				);
				if (begun) await host.waitFor(threadId, () => ended() > known);
				break;
			}
			case "undo":
				await host.request(threadCompactUndo, { threadId }).then(
					() => {
						undone += 1;
						seen.undone += 1;
					},
					(error: Error) => assert.match(error.message, /no compaction to undo|no thread/i),
				);
				break;
			case "pin": {
				const pinned = turns[Math.floor(turns.length / 2)];
				if (pinned === undefined) break;
				await host.request(threadPin, { threadId, turnId: pinned.turnId });
				pins.set(pinned.turnId, pinned.prompt);
				seen.pinned += 1;
				break;
			}
			case "rollback": {
				const back = turns.slice(-move.turns);
				const [first] = back;
				if (first === undefined || back.length < move.turns) break;
				versions.push(await version());
				await host.request(threadRollback, { threadId, turns: move.turns });
				turns = turns.slice(0, -move.turns);
				for (const one of back) pins.delete(one.turnId);
				// Unless an earlier compaction was undone since, everything is as it was before the first of these turns.
				if (first.undone === undone) assert.deepEqual(await conversation(host, threadId), first.before);
				seen.restored += 1;
				break;
			}
			case "undoRollback": {
				const wanted = versions.pop();
				if (wanted === undefined) break;
				const left = await version();
				const returned = wanted.turns.filter(({ turnId }) => !turns.some((one) => one.turnId === turnId));
				const taken = turns.filter(({ turnId }) => !wanted.turns.some((one) => one.turnId === turnId));
				const { turns: gone, returned: back } = await host.request(threadRestoreRedo, { threadId });
				assert.deepEqual([gone, back], [taken.length, returned.length]);
				if (taken.length > 0) versions.unshift(left);
				turns = [...wanted.turns];
				pins = new Map(wanted.pins);
				({ undone } = wanted);
				assert.deepEqual(await conversation(host, threadId), wanted.said);
				seen.returned += 1;
				break;
			}
			case "fork": {
				if (turns.length === 0) break;
				const was = await conversation(host, threadId);
				threadId = (await host.request(threadFork, { threadId })).threadId;
				assert.deepEqual(await conversation(host, threadId), was);
				break;
			}
			case "resume": {
				if (turns.length === 0) break;
				const was = await conversation(host, threadId);
				host = await rig.resumed();
				assert.deepEqual(await conversation(host, threadId), was);
				break;
			}
		}
		if (turns.length === 0) continue;
		const said = (await conversation(host, threadId)).join("\n");
		assert.ok(said.includes(turns.at(-1)?.prompt ?? assert.fail()), "the newest prompt is there");
		const stands = new Set(turns.map((one) => one.prompt));
		for (const text of prompts.filter((one) => !stands.has(one)))
			assert.ok(!said.includes(text), `${text} was taken back`);
		for (const text of pins.values()) assert.ok(said.includes(text), `${text} is pinned`);
	}
}

/** The conversation as the model would be sent it, without the context fragments. */
async function conversation(host: HostProcess, threadId: ThreadId): Promise<readonly string[]> {
	const { items } = await host.request(contextInspect, { threadId });
	return items.filter(({ kind }) => SPOKEN.test(kind)).map(({ kind, role, text }) => `${kind} ${role}: ${text}`);
}

const SPOKEN = /^(?:userMessage|agentMessage|toolCall|toolOutput|compacted-|history-bridge)/;
