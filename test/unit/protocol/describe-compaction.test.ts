import assert from "node:assert/strict";
import { test } from "node:test";
import { describeCompaction } from "../../../agent-host/protocol/thread/describe-compaction.ts";

test("a compaction is only called one if it made the context smaller", () => {
	const [smaller, same, larger] = [1_100, 1_200, 1_450].map((after) => ({ before: 1_200, after }));
	assert.ok(smaller && same && larger);
	assert.deepEqual(
		[
			describeCompaction(smaller),
			describeCompaction(smaller, 1),
			describeCompaction(same, 2),
			describeCompaction(larger),
		],
		[
			"Compacted: 1200 → 1100 tokens",
			"Compacted 1 turn: 1200 → 1100 tokens",
			"Context not smaller: 2 turns, from 1200 to 1200 tokens",
			"Context not smaller: from 1200 to 1450 tokens",
		],
	);
});
