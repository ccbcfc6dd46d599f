import assert from "node:assert/strict";
import { test } from "node:test";
import { foldEvents } from "../../../../../media/model/thread/fold-events.ts";
import { buildRows, expandRow, NO_ROWS } from "../../../../../media/model/thread/rows.ts";
import { foldSteps } from "../../../../../media/model/thread/steps.ts";
import { emptyTranscript } from "../../../../../media/model/thread/transcript.ts";
import { aSession } from "../../../../page/a-session.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { anApproval } from "../../../../page/an-approval.ts";
import { aTranscript } from "./a-transcript.ts";

const FRAGMENT = { kind: "permissions", role: "user", origin: "host", summary: "read-only", tokens: 1 } as const;
const SPENT = { tokens: 1_200, money: 0.02, unpriced: 0, requests: 2, minutes: 0.1 };

/** Rows that the same session had when each approval, context and file count had a row of its own. */
const ROWS_BEFORE = 38;

function rowsOf(thread: Pick<AThread, "events">) {
	const transcript = foldEvents(emptyTranscript(""), thread.events);
	const rows = foldSteps(buildRows(transcript, NO_ROWS).rows, transcript, "auto");
	return rows.flatMap((row) => (row.type === "unsplit" ? expandRow(row) : [row]));
}

test("a session of 42 calls takes at most half of the rows that it took before", () => {
	const { events, calls } = aSession();
	const count = rowsOf({ events: [...events] }).length;
	assert.equal(calls, 42);
	assert.equal(count, 19);
	assert.ok(count <= ROWS_BEFORE / 2);
});

test("a turn ends with one entry that holds its time, tokens, cost, files and context", () => {
	const thread = new AThread()
		.turn()
		.add({ type: "contextUpdated", fragments: [FRAGMENT] })
		.ask("Go")
		.answer("Done.");
	thread.add({ type: "filesChanged", files: 2, paths: ["a.ts", "b.ts"] });
	thread.add({ type: "turnCompleted", status: "completed", spent: { turn: SPENT, thread: SPENT } });
	const events = thread.events.map((event, index) => ({ ...event, at: 1_000 * index }));
	const entries = foldEvents(emptyTranscript(""), events).entries;
	assert.deepEqual(
		entries.map(({ kind }) => kind),
		["userMessage", "agentMessage", "turnSummary"],
	);
	const [last] = entries.slice(-1);
	assert.ok(last?.kind === "turnSummary");
	const { ms, spent, retries, context, changes } = last.facts;
	assert.deepEqual([ms, spent, retries, context.length, changes?.paths], [5_000, SPENT, 0, 1, ["a.ts", "b.ts"]]);
});

test("a turn without known facts has no last line, and a stopped one has a single entry for its end", () => {
	assert.deepEqual(rowsOf(new AThread().turn().ask("Go").answer("Done.").end()).length, 2);
	const stopped = new AThread()
		.turn()
		.add({ type: "contextUpdated", fragments: [FRAGMENT] })
		.ask("Go");
	stopped.item({ kind: "agentMessage", text: "Half", cut: true }).add({ type: "turnCompleted", status: "interrupted" });
	assert.deepEqual(
		aTranscript(stopped).entries.map((entry) => ("state" in entry ? [entry.kind, entry.state] : entry.kind)),
		["userMessage", ["agentMessage", "ended"], "turnEnd"],
	);
});

test("context of a turn whose end was not recorded has a row of its own, so that nothing told is hidden", () => {
	const thread = new AThread()
		.turn()
		.add({ type: "contextUpdated", fragments: [FRAGMENT] })
		.ask("Go");
	assert.deepEqual(
		rowsOf(thread).map(({ kind }) => kind),
		["userMessage"],
	);
	assert.deepEqual(
		rowsOf(thread.turn().ask("Again")).map(({ kind }) => kind),
		["context", "userMessage", "userMessage"],
	);
});

const CALL = {
	kind: "toolCall",
	id: "run",
	callId: "call-1",
	name: "run_command",
	title: "",
	arguments: "{}",
} as const;

test("an approval is shown with its call, and stays with it to its end", () => {
	const asked = { type: "approvalRequested", request: anApproval() } as const;
	const answered = { type: "approvalResolved", approvalId: "a1", decision: "deny", by: "user" } as const;
	const thread = new AThread()
		.turn()
		.begin({ ...CALL, status: "running" })
		.add(asked);
	assert.deepEqual(
		rowsOf(thread).map(({ kind }) => kind),
		["toolCall"],
	);
	assert.equal(aTranscript(thread).approvals.length, 1, "it can be answered");
	thread.add(answered).item({ ...CALL, status: "failed" });
	const call = aTranscript(thread).entries.find((entry) => entry.kind === "toolCall");
	assert.deepEqual(
		call?.asked.map(({ state }) => state),
		[{ kind: "resolved", decision: "deny", by: "user", note: undefined }],
	);
});

test("an approval without a call has a row, and one that the turn left open lapses on its call too", () => {
	const asked = { type: "approvalRequested", request: anApproval() } as const;
	assert.deepEqual(
		rowsOf(new AThread().turn().add(asked)).map(({ kind }) => kind),
		["approval"],
	);
	const open = new AThread()
		.turn()
		.begin({ ...CALL, status: "running" })
		.add(asked);
	const call = aTranscript(open.add({ type: "turnCompleted", status: "interrupted" })).entries.find(
		(entry) => entry.kind === "toolCall",
	);
	assert.deepEqual(
		call?.asked.map(({ state }) => state.kind),
		["lapsed"],
	);
});

test("the notice of a retry goes when the retry begins, and the end of the turn counts it", () => {
	const code = "rate-limit" as const;
	const thread = new AThread().turn().ask("Go");
	thread.add({ type: "warning", code: "other", message: "Careful." });
	thread.add({ type: "warning", code, message: "Slow down. Retrying in 6 s (2 of 5)." });
	thread.add({ type: "retrying", attempt: 2, attempts: 5, waitMs: 6_000, code, reason: "Slow down." });
	assert.equal(aTranscript(thread).running?.retry?.reason, "Slow down.");
	const { entries } = aTranscript(thread.answer("Done.").end());
	assert.deepEqual(
		entries.map((entry) => (entry.kind === "turnSummary" ? entry.facts.retries : entry.kind)),
		["userMessage", "warning", "agentMessage", 1],
	);
});

test("what an answer had said before it is tried again is marked, also if each text of it was complete", () => {
	const call = { callId: "c", name: "read_file", title: "Read a", arguments: "{}", status: "completed" } as const;
	const retry = { type: "retrying", waitMs: 0, code: "network", reason: "Lost.", attempts: 5 } as const;
	const thread = new AThread()
		.turn()
		.ask("Go")
		.answer("I look.")
		.item({ ...call, kind: "toolCall" });
	thread.answer("I f").add({ ...retry, attempt: 2 });
	thread.answer("I fo").add({ ...retry, attempt: 3 });
	const { entries } = aTranscript(thread.answer("I found it.").end());
	assert.deepEqual(
		entries.flatMap((entry) => (entry.kind === "agentMessage" ? [[entry.text, entry.state]] : [])),
		[
			["I look.", "done"],
			["I f", "cut"],
			["I fo", "cut"],
			["I found it.", "done"],
		],
	);
});

test("a prompt that was sent again after its turn had failed is shown once, unless something came of the first", () => {
	const error = { code: "auth", message: "The key was refused." } as const;
	const failed = () => new AThread().turn().ask("Go");
	const end = { type: "turnCompleted", status: "failed", error } as const;
	const kinds = (thread: AThread) => rowsOf(thread).map(({ kind }) => kind);
	const again = (thread: AThread) => kinds(thread.add(end).turn().ask("Go"));
	assert.deepEqual(again(failed()), ["turnEnd", "userMessage"]);
	assert.deepEqual(again(failed().answer("Half")), ["userMessage", "agentMessage", "turnEnd", "userMessage"]);
	assert.deepEqual(kinds(failed().add(end).turn().ask("Other")), ["userMessage", "turnEnd", "userMessage"]);
});
