import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { findCacheBreak } from "../../../agent-host/model/cache-break.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

const said = (text: string): HistoryItem => ({ kind: "userMessage", text });
const sent = (items: readonly HistoryItem[], change: object = {}, server = "s") => ({
	request: { ...buildRequest(anEnvelope(), items, []), ...change },
	server,
});
const before = sent([said("a"), said("b")]);

test("a request that goes on where the one before ended breaks nothing, nor does a rollback", () => {
	assert.equal(findCacheBreak(before, sent([said("a"), said("b"), said("c")])), undefined);
	assert.equal(findCacheBreak(before, sent([said("a")])), undefined);
});

test("the first part that is another one is named", () => {
	const words: HistoryItem = {
		kind: "fragment",
		fragment: "compacted-intent",
		role: "user",
		origin: "user",
		text: "a",
	};
	assert.deepEqual(
		[
			sent([said("a"), words]),
			sent([said("a"), said("other")]),
			sent([said("x")], { instructions: "Other." }),
			sent([], { reasoningEffort: "high" }),
			sent([], { model: "another" }),
			sent([], {}, "another server"),
		].map((now) => findCacheBreak(before, now)),
		[
			{ part: "compacted-intent", index: 1 },
			{ part: "userMessage", index: 1 },
			{ part: "instructions" },
			{ part: "effort" },
			{ part: "model" },
			{ part: "model" },
		],
	);
});
