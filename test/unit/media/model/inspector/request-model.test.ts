import assert from "node:assert/strict";
import { test } from "node:test";
import { contextInspect } from "../../../../../agent-host/protocol/thread/context.ts";
import { toInspectorState } from "../../../../../extension/panel/inspector-state.ts";
import type { FromInspector } from "../../../../../media/inspector-wire.ts";
import { Inspector } from "../../../../../media/model/inspector/inspector.ts";
import { summarizeRequest } from "../../../../../media/model/inspector/request-model.ts";

const item = (kind: string, tokens: number, rest: object = {}) => ({
	kind,
	role: "user",
	origin: "host",
	tokens,
	estimated: true,
	cached: true,
	text: `${kind}\n text`,
	...rest,
});

const RESULT = contextInspect.result.parse({
	items: [
		item("instructions", 300, { role: "system" }),
		item("environment", 100, { turnId: "a" }),
		item("userMessage", 50, { turnId: "a" }),
		item("userMessage", 150, { turnId: "b" }),
		item("permissions", 400, { cached: false, text: "" }),
	].map((part, index) => ({ ...part, index })),
	model: "fake-1",
	window: 2_100,
	effectiveWindow: 2_000,
	autoCompactLimit: 1_800,
	tokens: 1_000,
	policy: [{ message: "Mode: Read Only." }],
	policyDigest: "0123456789",
	firstUncached: 4,
});

test("a request is summarized by kind, by turn and by what the cache can reuse", () => {
	const model = summarizeRequest(toInspectorState(RESULT, 1));
	assert.deepEqual(
		model.kinds.map(({ name, items, tokens, percent }) => [name, items, tokens, percent]),
		[
			["permissions", 1, 400, 20],
			["base instructions", 1, 300, 15],
			["your messages", 2, 200, 10],
			["environment", 1, 100, 5],
		],
	);
	assert.deepEqual(
		model.groups.map(({ title, tokens, items }) => [title, tokens, items.length]),
		[
			["Sent with every request", 300, 1],
			["Turn 1", 150, 2],
			["Turn 2", 150, 1],
			["Added by the next turn", 400, 1],
		],
	);
	assert.deepEqual([model.cachedTokens, model.breaker?.kind, model.compactPercent], [600, "permissions", 90]);
});

test("what a compaction left is apart from what the next turn adds, and later turns keep their numbers", () => {
	const items = [
		item("instructions", 300, { role: "system" }),
		item("userMessage", 50, { compacted: true, turnId: "a", pinned: true }),
		item("compacted-context", 150, { compacted: true }),
		item("userMessage", 150, { turnId: "c" }),
		item("permissions", 400, { cached: false }),
	].map((part, index) => ({ ...part, index }));
	const result = contextInspect.result.parse({ ...RESULT, items, compactedTurns: 2 });
	assert.deepEqual(
		summarizeRequest(toInspectorState(result, 1)).groups.map(({ title, tokens }) => [title, tokens]),
		[
			["Sent with every request", 300],
			["2 compacted turns", 200],
			["Turn 3", 150],
			["Added by the next turn", 400],
		],
	);
});

test("a request past the window still fits the bar, and so does the mark of compaction", () => {
	const model = summarizeRequest(toInspectorState({ ...RESULT, effectiveWindow: 500, autoCompactLimit: 450 }, 1));
	assert.equal(
		model.kinds.reduce((sum, { percent }) => sum + percent, 0),
		100,
	);
	assert.equal(model.compactPercent, 45);
});

test("an item's text is requested when it is opened, and text of an older state is not shown", () => {
	const posted: FromInspector[] = [];
	const inspector = new Inspector((message) => posted.push(message));
	inspector.receive({ type: "context", context: toInspectorState(RESULT, 1) });
	const [first] = inspector.state.value?.items ?? [];
	assert.ok(first);
	assert.equal(first.preview, "instructions text");
	inspector.toggle(first);
	assert.deepEqual(posted, [{ type: "readItem", revision: 1, index: 0 }]);
	inspector.receive({ type: "context", context: toInspectorState(RESULT, 2) });
	inspector.receive({ type: "itemText", revision: 1, index: 0, text: "old", left: 0 });
	assert.equal(inspector.texts.value.size, 0);
	inspector.toggle(first);
	inspector.receive({ type: "itemText", revision: 2, index: 0, text: "new", left: 0 });
	assert.deepEqual(inspector.texts.value.get(0), { text: "new", left: 0 });
	inspector.receive({ type: "empty", reason: "Thread yet was not found." });
	assert.deepEqual([inspector.state.value, inspector.reason.value], [undefined, "Thread yet was not found."]);
});
