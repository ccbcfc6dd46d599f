import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { byThread } from "../../../agent-host/session/thread/by-thread.ts";

test("each thread has its own value, and the least recently used one is forgotten", () => {
	let made = 0;
	const of = byThread(() => {
		made += 1;
		return made;
	});
	const [first, second] = [ThreadId.parse("first"), ThreadId.parse("second")];
	assert.deepEqual([of(first), of(second), of(first)], [1, 2, 1]);
	for (let other = 0; other < 63; other += 1) of(ThreadId.parse(`other-${other}`));
	assert.equal(of(first), 1, "needed after the second");
	assert.equal(of(second), 66);
});
