import assert from "node:assert/strict";
import { test } from "node:test";
import { PublishedEvent } from "../../../../agent-host/protocol/thread/events.ts";
import { renderInstructions } from "../../../../extension/views/reports/instructions-words.ts";
import {
	renderCache,
	renderProbe,
	renderRequest,
	renderStatus,
} from "../../../../extension/views/reports/report-words.ts";
import { clockTimeOf } from "../../../../l10n/t.ts";

test("the report of a probe is a table that marks every failure", () => {
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

test("the cache report shows how much of each request came from the cache, and what broke it", () => {
	const count = (input: number, cached: number) => ({ input, cached, output: 1, reasoning: 0, total: input + 1 });
	const usage = { type: "usage", turnId: "t", window: 9, percentLeft: 9, estimated: false, baseline: 0 };
	const events = [
		{ ...usage, last: count(1_000, 0), total: count(1_000, 0) },
		{ ...usage, last: count(2_000, 500), total: count(3_000, 500), cacheBreak: { reason: "tools", part: "tools" } },
		{ ...usage, last: count(2_000, 0), total: count(5_000, 500), cacheBreak: { reason: "idle" } },
		{ ...usage, last: count(2_000, 0), total: count(7_000, 500), cacheBreak: { part: "user-instructions" } },
	].map((event, index) => PublishedEvent.parse({ seq: index + 1, at: 0, event }));
	const report = renderCache(events);
	assert.match(report, /500 of 7,000 input tokens came from the cache \(7 %\)\./);
	assert.match(report, /\| 1 \| 1,000 \| 0 \| 0 % \| {2}\|\n\| 2 \| 2,000 \| 500 \| 25 % \| changed tools \|\n/);
	assert.match(
		report,
		/\| 0 % \| a pause of over 5 minutes \|\n.*\| 0 % \| instructions \|\n/,
		"older releases named a part",
	);
	assert.match(renderCache([]), /No requests yet\./);
});

test("the status shows what the provider still grants and until when, or nothing if it has not said", () => {
	const model = { provider: "openai", id: "gpt-6-sol", window: 400_000, pricesRead: "2026-07-02" };
	const status = {
		version: "1",
		pid: 7,
		home: "/h",
		trusted: true,
		folders: [] as string[],
		search: "walk" as const,
		openDocuments: 0,
	};
	const rateLimits = [
		{ unit: "requests" as const, remaining: 49, limit: 50, resetsAt: 60_000 },
		{ unit: "tokens" as const, remaining: 12_000 },
	];
	const row = `| Rate limits | 49 of 50 requests left (resets at ${clockTimeOf(60_000)}); 12,000 tokens left |`;
	assert.ok(renderStatus({ ...status, model: { ...model, rateLimits } }, undefined, undefined).includes(row));
	assert.doesNotMatch(renderStatus({ ...status, model }, undefined, undefined), /Rate limits/);
});

test("a request is rendered as one text in which only additions differ from the previous one", () => {
	const item = { origin: "user", tokens: 1, estimated: true, cached: true };
	const one = { ...item, index: 0, kind: "instructions", role: "system", text: "Be brief." };
	const two = { ...item, index: 1, kind: "userMessage", role: "user", text: "Why?" };
	assert.equal(renderRequest([one, two]), `${renderRequest([one])}\n## userMessage (user)\n\nWhy?\n`);
});

test("the report on instructions says what they cost, what repeats or contradicts, and what is left out", () => {
	const place = (path: string, line: number, text: string) => ({ path, line, text });
	const report = renderInstructions({
		files: [
			{ origin: "user", tokens: 20 },
			{ path: "/repo/AGENTS.md", origin: "workspace", tokens: 1_200, cut: "only the first 10 of 20 bytes are used" },
		],
		budget: 9_000,
		findings: [
			{ kind: "contradiction", places: [place("/a", 1, "Use tabs."), place("/b", 2, "Use spaces.")] },
			{ kind: "duplicate", places: [place("/a", 3, "Run tests."), place("/b", 4, "Run tests.")] },
		],
		notLoaded: [{ path: "/repo/CLAUDE.md", why: "covered" }],
		problems: [],
	});
	assert.match(report, /^# Instructions\n\nAbout 1,220 tokens in every request, of at most 9,000\.\n/);
	assert.match(report, /\| \/repo\/AGENTS\.md \| workspace \| 1,200 \| only the first 10/);
	assert.match(report, /## Contradictions\n\n- Use tabs\. \(2 places\)\n {2}- \/a:1\n {2}- \/b:2: Use spaces\.\n/);
	assert.match(report, /## Duplicates\n\n- Run tests\. \(2 places\)\n {2}- \/a:3\n {2}- \/b:4\n/);
	assert.match(report, /- `\/repo\/CLAUDE\.md`: its folder uses another file/);
	const empty = { files: [], budget: 9_000, findings: [], notLoaded: [], problems: [] };
	assert.match(renderInstructions(empty), /No instructions are loaded\.\n\nNo problems found\./);
});
