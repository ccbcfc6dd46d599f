import assert from "node:assert/strict";
import { test } from "node:test";
import { PublishedEvent } from "../../../../agent-host/protocol/thread/events.ts";
import { renderCache, renderProbe, renderRequest } from "../../../../extension/views/reports/report-words.ts";

test("a probe reads as a table in which whatever went wrong is marked", () => {
	const probe = { at: 0, ms: 120, digest: "d1", sandbox: "bubblewrap" } as const;
	const attempts = [
		{ what: "read /a|b", expected: "refused", happened: "refused", ok: true },
		{ what: "open a network connection", expected: "refused", happened: "allowed", ok: false },
	] as const;
	assert.equal(
		renderProbe({ ...probe, state: "broken", attempts: [...attempts] }),
		[
			"# Sandbox Test",
			"The sandbox does not enforce the policy: see the rows marked ✗. The log shows what to do.",
			[
				"|  | Attempt | Policy | Result |",
				"| --- | --- | --- | --- |",
				"| ✓ | read /a\\|b | refused | refused |",
				"| ✗ | open a network connection | refused | allowed |",
			].join("\n"),
			"Policy digest: `d1`\n",
		].join("\n\n"),
	);
	assert.match(renderProbe({ ...probe, state: "notRun", reason: "No.", attempts: [] }), /\n\nNot checked: No\.\n/);
});

test("the cache report says of each request what came from the cache, and what broke it", () => {
	const count = (input: number, cached: number) => ({ input, cached, output: 1, reasoning: 0, total: input + 1 });
	const usage = { type: "usage", turnId: "t", window: 9, percentLeft: 9, estimated: false, baseline: 0 };
	const events = [
		{ ...usage, last: count(1_000, 0), total: count(1_000, 0) },
		{ ...usage, last: count(2_000, 500), total: count(3_000, 500), cacheBreak: { part: "tools" } },
	].map((event, index) => PublishedEvent.parse({ seq: index + 1, at: 0, event }));
	const report = renderCache(events);
	assert.match(report, /500 of 3,000 input tokens came from the cache \(17 %\)\./);
	assert.match(report, /\| 1 \| 1,000 \| 0 \| 0 % \| {2}\|\n\| 2 \| 2,000 \| 500 \| 25 % \| tools \|\n/);
	assert.match(renderCache([]), /No requests yet\./);
});

test("a request is one text in which only what was added differs from the last one", () => {
	const item = { origin: "user", tokens: 1, estimated: true, cached: true };
	const one = { ...item, index: 0, kind: "instructions", role: "system", text: "Be brief." };
	const two = { ...item, index: 1, kind: "userMessage", role: "user", text: "Why?" };
	assert.equal(renderRequest([one, two]), `${renderRequest([one])}\n## userMessage (user)\n\nWhy?\n`);
});
