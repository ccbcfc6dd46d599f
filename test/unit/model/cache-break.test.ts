import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { explainCacheMiss, findCacheBreak } from "../../../agent-host/model/cache-break.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

const said = (text: string): HistoryItem => ({ kind: "userMessage", text });
const sent = (items: readonly HistoryItem[], change: object = {}, server = "s") => ({
	request: { ...buildRequest(anEnvelope(), items, []), ...change },
	server,
	compaction: undefined,
});
const before = sent([said("a"), said("b")]);

test("neither a request that continues the previous one nor a rollback breaks the cache", () => {
	assert.equal(findCacheBreak(before, sent([said("a"), said("b"), said("c")])), undefined);
	assert.equal(findCacheBreak(before, sent([said("a")])), undefined);
});

test("the first part that differs is named", () => {
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
			{ reason: "history", part: "compacted-intent", index: 1 },
			{ reason: "history", part: "userMessage", index: 1 },
			{ reason: "settings", part: "instructions" },
			{ reason: "settings", part: "effort" },
			{ reason: "model", part: "model" },
			{ reason: "model", part: "model" },
		],
	);
});

test("changed tools, another answer format and a compaction are distinguished from edited history", () => {
	const tools = [{ name: "t", description: "", parameters: {} }];
	const outputSchema = { name: "answer", schema: { type: "object" } };
	assert.deepEqual(findCacheBreak(before, sent([], { tools })), { reason: "tools", part: "tools" });
	assert.deepEqual(findCacheBreak(before, sent([], { outputSchema })), { reason: "settings", part: "schema" });
	const shorter = { ...sent([said("summary")]), compaction: "c1" };
	assert.deepEqual(findCacheBreak(before, shorter), { reason: "compaction", part: "userMessage", index: 0 });
	assert.equal(findCacheBreak(shorter, { ...sent([said("summary"), said("c")]), compaction: "c1" }), undefined);
});

test("a continuing request that missed the cache came too late, or the reason is unknown", () => {
	const counted = (input: number, cached: number) => ({ input, cached, output: 1, reasoning: 0, total: input + 1 });
	const first = { ...before, sentAt: 0, usage: counted(20_000, 0) };
	const next = (cached: number, sentAt = 1_000, input = 21_000) => ({
		...sent([said("a"), said("b"), said("c")]),
		sentAt,
		usage: counted(input, cached),
	});
	assert.equal(explainCacheMiss(first, next(19_000), true), undefined);
	assert.deepEqual(explainCacheMiss(first, next(0), true), { reason: "unsaid" });
	assert.deepEqual(explainCacheMiss(first, next(2_000, 300_001), true), { reason: "idle" });
	assert.equal(explainCacheMiss(first, next(19_000, 300_001), true), undefined, "some keep it for longer");
	assert.equal(explainCacheMiss(first, next(0), false), undefined, "the server may have no cache");
	assert.equal(
		explainCacheMiss({ ...first, usage: counted(900, 0) }, next(0), true),
		undefined,
		"too short to be kept",
	);
	assert.equal(explainCacheMiss({ ...first, usage: undefined }, next(0), true), undefined);
	const tools = [{ name: "t", description: "", parameters: {} }];
	const changed = { ...sent([said("a")], { tools }), sentAt: 900_000, usage: counted(20_000, 0) };
	assert.deepEqual(explainCacheMiss(first, changed, false), { reason: "tools", part: "tools" });
});
