import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalRequest } from "../../../../../agent-host/protocol/approval/approval.ts";
import { foldEvents } from "../../../../../media/model/thread/fold-events.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { anApproval } from "../../../../page/an-approval.ts";
import { aTranscript } from "./a-transcript.ts";

function requested(thread: AThread, change: Partial<ApprovalRequest> = {}): AThread {
	return thread.add({ type: "approvalRequested", request: anApproval(change) });
}

test("questions wait in their order until they are answered, and leave a record", () => {
	const thread = requested(requested(new AThread().turn()), { approvalId: "a2" });
	const waiting = aTranscript(thread);
	assert.deepEqual(
		waiting.approvals.map(({ request }) => request.approvalId),
		["a1", "a2"],
	);
	thread.add({ type: "approvalResolved", approvalId: "a1", decision: "deny", by: "user", note: "no" });
	thread.add({ type: "approvalResolved", approvalId: "unknown", decision: "allow", by: "user" });
	const answered = aTranscript(thread);
	assert.deepEqual(
		answered.approvals.map(({ request }) => request.approvalId),
		["a2"],
	);
	assert.deepEqual(
		answered.entries.map((entry) => entry.kind === "approval" && entry.state),
		[{ kind: "resolved", decision: "deny", by: "user", note: "no" }, { kind: "pending" }],
	);
});

test("the end of a turn leaves no question to answer", () => {
	const thread = requested(new AThread().turn());
	for (const end of [new AThread().turn().turn().events.slice(1), thread.end().events.slice(2)]) {
		const { approvals, entries } = foldEvents(aTranscript(requested(new AThread().turn())), renumber(end, 3));
		assert.deepEqual(
			[approvals, entries.map((entry) => entry.kind === "approval" && entry.state.kind)],
			[[], ["lapsed"]],
		);
	}
});

test("a question reported twice is shown once", () => {
	const thread = requested(requested(new AThread().turn()));
	const { approvals, entries } = aTranscript(thread);
	assert.deepEqual([approvals.length, entries.length], [1, 1]);
});

function renumber(events: AThread["events"], from: number): AThread["events"] {
	return events.map((event, index) => ({ ...event, seq: from + index }));
}
