import assert from "node:assert/strict";
import { test } from "node:test";
import type { LedgerEntry } from "../../../agent-host/protocol/approval/ledger.ts";
import { TurnId } from "../../../agent-host/protocol/ids.ts";
import { ThreadSummary } from "../../../agent-host/protocol/thread/thread.ts";
import {
	asLabel,
	describeDecision,
	explainDecision,
	renderLedger,
} from "../../../extension/views/activity/activity-words.ts";
import { arrangeThreads, type ThreadRow } from "../../../extension/views/threads/thread-groups.ts";

function anEntry(change: Partial<LedgerEntry> = {}): LedgerEntry {
	const what = { callId: "c", what: "Run make", reason: "It is free.", digest: "0123456789abcdef" };
	return { seq: 1, at: 0, turnId: TurnId.parse("t"), ...what, decision: "allow", by: "policy", ...change };
}

test("a decision is said by what was decided and by whom", () => {
	const words = [
		describeDecision(anEntry()),
		describeDecision(anEntry({ by: "rule" })),
		describeDecision(anEntry({ decision: "allowThread", by: "user", grant: "inForce" })),
		describeDecision(anEntry({ decision: "allowThread", by: "user", grant: "over" })),
		describeDecision(anEntry({ decision: "deny", by: "host" })),
	];
	assert.deepEqual(words, [
		"allowed by the permissions",
		"allowed by a saved rule",
		"allowed for this thread by you",
		"allowed for this thread by you, no longer in force",
		"refused because nobody answered",
	]);
});

test("why it was asked, or was not, is the verdict's own sentence", () => {
	assert.ok(explainDecision(anEntry()).includes("Not asked: It is free."));
	assert.ok(explainDecision(anEntry({ by: "user", reason: "It is wide." })).includes("Asked because: It is wide."));
});

test("what a model wrote cannot break out of its row or its page", () => {
	assert.equal(asLabel("a\n\u202Eb"), "a\\u{A}\\u{202E}b");
	const page = renderLedger([anEntry({ what: "x`\n# forged\n`", note: "n\n# forged" })], false);
	assert.deepEqual(page.match(/^#.*$/gm), ["# What was allowed and refused"]);
	assert.match(renderLedger([], true), /Nothing was allowed[\s\S]*Older decisions/);
});

function aThread(threadId: string, cwd?: string): ThreadSummary {
	const facts = { title: threadId, preview: "", model: "m", turns: 1, updatedAt: 0, archived: false, running: false };
	return ThreadSummary.parse({ threadId, ...facts, ...(cwd === undefined ? {} : { cwd }) });
}

function shape(row: ThreadRow): unknown {
	return row.kind === "thread" ? row.thread.threadId : [row.folder, ...row.rows.map(shape)];
}

test("pinned threads come first; the others keep their order, alone or under their folders", () => {
	const threads = [aThread("a", "/x"), aThread("b"), aThread("c", "/y"), aThread("d", "/x")];
	const pinned = new Set(["c", "gone"]);
	const arrange = (order: "plain" | "byFolder") =>
		arrangeThreads(threads, { order, which: "current", pinned }).map(shape);
	assert.deepEqual(arrange("plain"), ["c", "a", "b", "d"]);
	assert.deepEqual(arrange("byFolder"), ["c", ["/x", "a", "d"], ["", "b"]]);
});
