import assert from "node:assert/strict";
import { test } from "node:test";
import { aReport } from "../../../../page/a-report.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { scopesIn } from "./a-scope.ts";
import { aTranscript } from "./a-transcript.ts";

const STEP = { compactionId: "k1" as never, reason: "manual", phase: "standalone", strategy: "structured" } as const;

const SIZE = { before: 61_300, after: 4_000 };

test("a compaction is shown as under way, then as a card that can undo it, then as undone", () => {
	const thread = new AThread().turn().ask("one").end().turn();
	thread.add({ type: "compactionStarted", ...STEP, ...SIZE });
	assert.deepEqual(aTranscript(thread).compacting, { ...SIZE, hadContext: false });
	thread
		.add({ type: "compactionCompleted", ...STEP, ...SIZE })
		.item(aReport())
		.end();
	const done = aTranscript(thread);
	assert.deepEqual(
		[done.compacting, done.undoable, done.entries.map(({ kind }) => kind)],
		[undefined, "k1", ["userMessage", "contextCompaction"]],
	);
	thread
		.turn()
		.ask("two")
		.end()
		.add({ type: "compactionUndone", ...STEP, ...SIZE });
	const undone = aTranscript(thread);
	assert.deepEqual(
		[undone.undoable, undone.entries.map((entry) => entry.kind === "contextCompaction" && entry.state)],
		[undefined, [false, "undone", false]],
	);
});

test("a compaction that was skipped inside a turn is no longer under way, and changes nothing", () => {
	const thread = new AThread().turn().add({ type: "contextUpdated", fragments: [] });
	thread.add({ type: "compactionStarted", ...STEP, ...SIZE });
	thread.add({ type: "compactionSkipped", compactionId: STEP.compactionId });
	const { compacting, hasContext } = aTranscript(thread);
	assert.deepEqual([compacting, hasContext], [undefined, true]);
});

test("after a compaction the world is told again; one that did not finish changes nothing", () => {
	const told = { type: "contextUpdated" as const, fragments: [] };
	const words = (thread: AThread) => aTranscript(thread).entries.flatMap(scopesIn);
	const started = () =>
		new AThread()
			.turn()
			.add(told)
			.add({ type: "compactionStarted", ...STEP, ...SIZE });
	assert.deepEqual(
		words(
			started()
				.add(told)
				.add({ type: "compactionCompleted", ...STEP, ...SIZE })
				.add(told),
		),
		["all", "all", "changes"],
	);
	assert.deepEqual(words(started().end().turn().add(told)), ["all", "changes"]);
});
