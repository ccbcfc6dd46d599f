import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeSettings, type PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { boundSettings, listModes } from "../../../agent-host/surfaces/caller-settings.ts";
import { readApproval, readQuestion } from "../../../agent-host/surfaces/mcp/asks.ts";

test("a caller can be stricter than its user in everything, and freer in nothing", () => {
	const user = mergeSettings({ permissions: { mode: "ask" }, approval: "untrusted" });
	const taken: readonly PartialSettings[] = [
		{ permissions: { mode: "readOnly", denyRead: ["~/secret"] } },
		{ approval: "untrusted", model: { id: "small", reasoningEffort: "low" }, tools: { plan: false } },
	];
	for (const settings of taken) assert.deepEqual(boundSettings(settings, user), settings);
	const careful = mergeSettings({ permissions: { denyRead: ["~/own"] } });
	assert.deepEqual(boundSettings({ permissions: { denyRead: ["~/secret"] } }, careful), {
		permissions: { denyRead: ["~/own", "~/secret"] },
	});
	const refused: readonly (readonly [PartialSettings, RegExp])[] = [
		[{ permissions: { mode: "workspaceWrite" } }, /at most ask/],
		[{ permissions: { mode: "full" } }, /cannot be full/],
		[{ permissions: { rules: [{ prefix: ["sh"] }] }, budgets: {} }, /permissions\.rules, budgets/],
		[{ model: { baseUrl: "https://a.example" } }, /model\.baseUrl/],
		[{ approval: "onRequest" }, /set it to untrusted/],
		[{ telemetry: { endpoint: "https://a.example" } }, /telemetry/],
	];
	for (const [settings, reason] of refused) assert.throws(() => boundSettings(settings, user), reason);
	assert.deepEqual(listModes(mergeSettings({ permissions: { mode: "full" } })), ["readOnly", "ask", "workspaceWrite"]);
});

test("only a decision that was offered is taken from a form", () => {
	const request = { choices: ["allow", "deny"] as const, digest: "d" };
	const contents = [
		{ decision: "allow" },
		{ decision: "allowThread" },
		{ decision: "allowRule" },
		{ decision: 1 },
		undefined,
		"allow",
	];
	assert.deepEqual(
		contents.map((content) => readApproval(content, { ...request, choices: [...request.choices] }).decision),
		["allow", "deny", "deny", "deny", "deny", "deny"],
	);
});

test("the fields of a form answer its questions; one that lacks a required answer is dismissed", () => {
	const subject = {
		kind: "form" as const,
		questions: [
			{ id: "way", text: "Which way?", options: [{ label: "Left" }, { label: "Right" }], required: true as const },
			{ id: "why", text: "Why?", options: [], input: "text" as const },
		],
	};
	assert.deepEqual(readQuestion({ way: "Left", why: " Short. " }, subject), {
		choice: "answer",
		answers: { way: { chosen: ["Left"] }, why: { chosen: [], text: "Short." } },
	});
	for (const content of [undefined, {}, { way: "Up" }, { why: "Short." }]) {
		assert.deepEqual(readQuestion(content, subject), { choice: "dismiss" });
	}
	const optional = { kind: "form" as const, server: "docs", questions: subject.questions.slice(1) };
	assert.deepEqual(
		[readQuestion({}, optional), readQuestion(undefined, optional)],
		[{ choice: "answer", answers: {} }, { choice: "dismiss" }],
	);
	const loop = { kind: "loop" as const, name: "n", title: "t", times: 3 };
	assert.deepEqual(
		[readQuestion({ choice: "continue" }, loop), readQuestion(undefined, loop)],
		[{ choice: "continue" }, { choice: "stop" }],
	);
});
