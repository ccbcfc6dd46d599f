import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { pointAt } from "../host/rig/with-host.ts";
import { createRandom } from "../support/crash.ts";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import { callsAll, says } from "../support/fake-model-steps.ts";
import { createMemoryDisk, failure } from "../support/memory-disk.ts";
import { aSession } from "../support/memory-session.ts";

const SEEDS = process.env.VITRINE_FULL === "1" ? 4 : 1;
/** Between two positions that are tried. */
const STRIDE = process.env.VITRINE_FULL === "1" ? 1 : 5;
/** More than run at a time, so that some wait for their turn. */
const CALLS = 12;
/** Rounds of the loop in which a call that still runs would show itself. */
const SETTLING_ROUNDS = 300;

/** A call that was still running when the turn was reported over, or began after that. */
interface Late {
	readonly position: number;
	readonly what: string;
}

for (const lasting of [false, true]) {
	const what = lasting ? "no record can be written from there on" : "one record cannot be written";
	test(`when ${what}, at every ${STRIDE === 1 ? "" : "fifth "}position, no call of the turn runs after the turn ended`, async (t) => {
		const model = await startFakeModel((request) =>
			request.text.includes("function_call_output") ? says("Done.") : callsAll(callsOf()),
		);
		t.after(() => model.stop());
		let positions = 0;
		const late: Late[] = [];
		for (let seed = 1; seed <= SEEDS; seed += 1) {
			for (let position = 0; ; position += STRIDE) {
				const outcome = await runWithFault(t, model, { seed, position, lasting });
				late.push(...outcome.late.map((one) => ({ position, what: one })));
				if (!outcome.hit) break;
				positions += 1;
			}
		}
		t.diagnostic(`${positions} positions`);
		assert.deepEqual(late, []);
		assert.ok(positions * STRIDE > SEEDS * CALLS, `${positions} positions`);
	});
}

function callsOf(): readonly (readonly [string, object])[] {
	return Array.from({ length: CALLS }, (_, index) =>
		index % 3 > 0
			? (["read_file", { path: "README.md" }] as const)
			: (["apply_patch", { patch: `*** Begin Patch\n*** Add File: new-${index}.txt\n+x\n*** End Patch\n` }] as const),
	);
}

async function runWithFault(
	t: TestContext,
	model: FakeModel,
	{ seed, position, lasting }: { readonly seed: number; readonly position: number; readonly lasting: boolean },
): Promise<{ readonly hit: boolean; readonly late: readonly string[] }> {
	const root = mkdtempSync(join(realpathSync(tmpdir()), "vitrine-failing-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	mkdirSync(join(root, "work"));
	writeFileSync(join(root, "work", "README.md"), "Hello.\n");
	const random = createRandom(seed);
	const disk = createMemoryDisk();
	const late: string[] = [];
	const state = { asking: 0, over: undefined as readonly string[] | undefined, hit: false, writes: 0 };
	const { session, runTurn } = await aSession(disk, {
		folders: [join(root, "work")],
		settings: pointAt(model, { permissions: { mode: "ask" } }),
		ask: async ({ digest }, signal) => {
			if (state.over !== undefined) late.push("a question was asked");
			state.asking += 1;
			for (let round = 1 + random() * 8; round > 0 && !signal.aborted; round -= 1) await new Promise(setImmediate);
			state.asking -= 1;
			signal.throwIfAborted();
			return { decision: "allow", digest };
		},
		published: ({ event }: PublishedEvent) => {
			if (state.over !== undefined) late.push(`${event.type} was published`);
			if (event.type !== "turnCompleted") return;
			if (state.asking > 0) late.push(`${state.asking} questions were open`);
			state.over = contentsOf(root);
		},
	});
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	const isRunning = () => session.threads.all().some((thread) => thread.running !== undefined);
	disk.fault = (operation) => {
		// The header and what begins the turn are acknowledged, or the turn is refused.
		if (operation.op !== "write" || !isRunning()) return undefined;
		const place = state.writes++;
		if (place < position || (place > position && !lasting)) return undefined;
		state.hit = true;
		throw failure("EIO");
	};
	await runTurn(threadId, "Do it.");
	for (let round = 0; round < SETTLING_ROUNDS; round += 1) await new Promise(setImmediate);
	assert.ok(state.over, "the turn ends");
	if (contentsOf(root).join() !== state.over.join()) late.push("files were changed");
	disk.fault = undefined;
	await session.close();
	return { hit: state.hit, late };
}

function contentsOf(root: string): readonly string[] {
	return readdirSync(join(root, "work"))
		.toSorted()
		.map((name) => `${name} ${readFileSync(join(root, "work", name), "utf8")}`);
}
