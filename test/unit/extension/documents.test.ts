import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import { turnsFrom } from "../../../extension/commands/threads/count-turns.ts";
import {
	type DocumentAddress,
	parsePath,
	pathOf,
	REPORT_NAMES,
} from "../../../extension/views/reports/document-address.ts";
import { renderPolicy, renderThread } from "../../../extension/views/reports/render-document.ts";

test("the address of a document says what it shows", () => {
	const id = fc.uuid();
	const fragment = fc.constantFrom("permissions", "user-instructions");
	const side = fc.constantFrom("before" as const, "after" as const);
	const address: fc.Arbitrary<DocumentAddress> = fc.oneof(
		fc.record({ kind: fc.constant("policy" as const), threadId: id }),
		fc.constant({ kind: "policy" as const }),
		fc.record({ kind: fc.constant("thread" as const), threadId: id, title: fc.constant("A title") }),
		fc.record({ kind: fc.constant("ledger" as const), threadId: id }),
		fc.record({ kind: fc.constant("report" as const), name: fc.constantFrom(...REPORT_NAMES), threadId: id }),
		fc.record({ kind: fc.constant("report" as const), name: fc.constantFrom(...REPORT_NAMES) }),
		fc.record({
			kind: fc.constant("request" as const),
			threadId: id,
			side: fc.oneof(fc.constantFrom("last" as const, "next" as const), fc.integer({ min: 1, max: 10_000 })),
		}),
		fc.record({ kind: fc.constant("process" as const), threadId: id, processId: fc.constant("p12") }),
		fc.record({ kind: fc.constant("told" as const), threadId: id, turnId: id, index: fc.nat(), side, fragment }),
	);
	fc.assert(fc.property(address, (value) => assert.deepEqual(parsePath(pathOf(value)), { ...value })));
});

test("a title of any text makes one name, and an address that is none of ours shows nothing", () => {
	const path = pathOf({ kind: "thread", threadId: "t", title: "a/b\\c\n\u0000 d" });
	assert.equal(path, "/thread/t/a b c d.md");
	for (const other of ["", "/", "/told/t", "/told/t/u/0/middle/x.md", "/secret/t", "/report/new/Other.md"]) {
		assert.equal(parsePath(other), undefined);
	}
});

test("a thread reads as a page whose outline is its prompts", () => {
	const turnId = "turn-1";
	const item = (value: object) => ({ type: "itemCompleted", turnId, item: { id: "i", ...value } });
	const envelope = { provider: "demo", model: "demo", window: 1, roots: [], trusted: true, tools: [] };
	const fragment = { kind: "permissions", role: "developer", origin: "host", summary: "read-only", tokens: 9 };
	const call = { kind: "toolCall", callId: "c", name: "read_file", arguments: "{}", title: "Read a.ts" };
	const image = { id: "a".repeat(64), mediaType: "image/png", width: 40, height: 30, bytes: 9 };
	const events = [
		{ type: "turnStarted", turnId, envelope },
		{ type: "contextUpdated", turnId, fragments: [fragment] },
		item({ kind: "userMessage", messageKind: "plain", text: "Why?\nReally.", images: [image] }),
		item({ kind: "userMessage", messageKind: "environment", text: "<environment_context>" }),
		item({ ...call, status: "completed" }),
		item({ kind: "agentMessage", text: "# Because\n\n```sh\n# not a heading\n```\n\n## So there" }),
		{ type: "turnCompleted", turnId, status: "interrupted" },
	].map((event, index) => PublishedEvent.parse({ seq: index + 1, at: 0, event }));
	assert.equal(
		renderThread("A thread", events),
		[
			"# A thread",
			"*Told the model: permissions (read-only)*",
			"## 1. Why? Really.",
			"> Why?\n> Really.",
			"*image/png, 40 × 30*",
			"- Read a.ts (completed)",
			"### Answer",
			"#### Because\n\n```sh\n# not a heading\n```\n\n##### So there",
			"> The turn was interrupted. \n",
		].join("\n\n"),
	);
});

test("the policy reads as the words of the host, and says when nothing can enforce it", () => {
	const policy = { name: "read-only", words: ["Mode: read-only.", "Network: off."], digest: "abc" };
	const page = renderPolicy({ ...policy, sandbox: "bubblewrap", commands: true });
	assert.match(page, /^# .*read-only\n\n- Mode: read-only\.\n- Network: off\.\n/);
	assert.match(page, /run in bubblewrap/);
	assert.match(renderPolicy({ ...policy, sandbox: "none", commands: false }), /commands are refused/);
	const restricted = renderPolicy({ ...policy, sandbox: "bubblewrap", commands: false });
	assert.match(restricted, /Commands cannot be run/);
	assert.doesNotMatch(restricted, /bubblewrap/);
});

test("turns are counted back to the one that was chosen, without compactions and those that were rolled back", () => {
	const envelope = { provider: "demo", model: "demo", window: 1, roots: [], trusted: true, tools: [] };
	const started = (turnId: string) => ({ type: "turnStarted", turnId, envelope });
	const compaction = { ...started("compaction"), purpose: "compaction" };
	const rolledBack = { type: "rolledBack", turnIds: ["b"] };
	const events = [started("a"), started("b"), rolledBack, started("c"), compaction, started("d")].map((event, index) =>
		PublishedEvent.parse({ seq: index + 1, at: 0, event }),
	);
	assert.deepEqual(
		["a", "b", "c", "compaction", "d", "e"].map((turnId) => turnsFrom(events, turnId)),
		[3, 0, 2, 0, 1, 0],
	);
});
