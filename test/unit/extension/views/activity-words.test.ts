import assert from "node:assert/strict";
import { test } from "node:test";
import type { LedgerEntry } from "../../../../agent-host/protocol/approval/ledger.ts";
import { TurnId } from "../../../../agent-host/protocol/ids.ts";
import { asLabel, describeDecision, explainDecision } from "../../../../extension/views/activity/activity-words.ts";
import { renderLedger } from "../../../../extension/views/reports/render-document.ts";

function anEntry(change: Partial<LedgerEntry> = {}): LedgerEntry {
	const what = { callId: "c", what: "Run make", reason: "It is free.", digest: "0123456789abcdef" };
	return { seq: 1, at: 0, turnId: TurnId.parse("t"), ...what, decision: "allow", by: "policy", ...change };
}

test("a decision is shown with what was decided and by whom", () => {
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
		"allowed in this thread by you",
		"allowed in this thread by you (no longer active)",
		"refused (no answer)",
	]);
});

test("the reason for asking, or for not asking, is the verdict's own sentence", () => {
	assert.ok(explainDecision(anEntry()).includes("Allowed automatically: It is free."));
	assert.ok(
		explainDecision(anEntry({ by: "user", reason: "It is wide." })).includes("Why you were asked: It is wide."),
	);
});

test("a fact about a decision is said whole, where a row says only its beginning", () => {
	const reason = `It would write to ${"/a/long/way".repeat(20)}.`;
	assert.ok(explainDecision(anEntry({ reason })).includes(`Allowed automatically: ${reason}`));
	assert.equal(asLabel(reason).length < 140, true);
	assert.equal((explainDecision(anEntry({ note: "x".repeat(5_000) })).at(-1) ?? "").length < 1_100, true);
});

test("text from a model cannot break out of its row or its page", () => {
	assert.equal(asLabel("a\n\u202Eb"), "a\\u{A}\\u{202E}b");
	const page = renderLedger([anEntry({ what: "x`\n# forged\n`", note: "n\n# forged" })], false);
	assert.deepEqual(page.match(/^#.*$/gm), ["# Permission Decisions"]);
	assert.match(renderLedger([], true), /No decisions[\s\S]*Older decisions/);
});
