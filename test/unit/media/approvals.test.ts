import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ApprovalRequest } from "../../../agent-host/protocol/approval/approval.ts";
import { commandText, questionOf, subjectInShort, targetOf } from "../../../media/model/approval/approval-words.ts";
import { GUARD_MS, PressGuard } from "../../../media/model/approval/press-guard.ts";
import { foldEvents } from "../../../media/model/thread/fold-events.ts";
import { emptyTranscript } from "../../../media/model/thread/transcript.ts";
import { MAX_PIECES, quoteWord, spell, spellName } from "../../../media/model/words/escape-lookalikes.ts";
import { AThread } from "../../page/a-thread.ts";
import { aCommand, anApproval } from "../../page/an-approval.ts";
import { aTranscript } from "./a-transcript.ts";

/** What was spelled, read back from its text alone. */
function readBack(spelled: string): string {
	return spelled
		.replaceAll("↵\n", "\n")
		.replace(/\\u\{([0-9A-F]+)\}/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}

const TRICKS = ["\u202E", "\u200B", "\u{E0041}", "\u0301", "\r", "\n", "\t", "\u00A0", "\u2028", "\uD800", "\x1B[2K"];
const LOOKALIKES = ["ѕ", "о", "ｅ", "ニ", "二", "é", "e\u0301", "\\u{202E}", "\\", "↵", "u{5C}"];
const anyText = fc.oneof(
	fc.string({ unit: "binary" }),
	fc
		.array(fc.oneof(fc.constantFrom(...TRICKS, ...LOOKALIKES), fc.string({ maxLength: 3 })))
		.map((parts) => parts.join("")),
);

test("every text can be read back from how it is spelled, so no two texts are spelled alike", () => {
	fc.assert(
		fc.property(anyText, (text) => {
			const spelled = spell(text)
				.map((piece) => piece.text)
				.join("");
			assert.equal(readBack(spelled), text);
		}),
		{ numRuns: 1_000 },
	);
});

test("no two names look alike among other words, whichever spaces they begin, end or are filled with", () => {
	const spaced = fc
		.array(
			fc.oneof(fc.constantFrom(" ", "  ", "a", "\\u{20}", "\n", ...TRICKS, ...LOOKALIKES), fc.string({ maxLength: 2 })),
		)
		.map((parts) => parts.join(""));
	fc.assert(
		fc.property(spaced, (name) => {
			const spelled = spellName(name)
				.map((piece) => piece.text)
				.join("");
			assert.equal(readBack(spelled), name);
			// As a browser lays words out: spaces are one, and none at the edges.
			const laidOut = spelled.replaceAll(/[ \n]+/g, (blanks) => (blanks.includes("\n") ? "\n" : " ")).trim();
			assert.equal(readBack(spelled.endsWith("\n") ? `${laidOut}\n` : laidOut), name);
		}),
		{ numRuns: 1_000 },
	);
});

test("what cannot be seen is spelled, what may deceive is marked, and the rest stands for itself", () => {
	assert.deepEqual(spell("ѕudо rm\u202E größe 日\t\\u{9}\n"), [
		{ kind: "foreign", text: "ѕ" },
		{ kind: "plain", text: "ud" },
		{ kind: "foreign", text: "о" },
		{ kind: "plain", text: " rm" },
		{ kind: "escape", text: "\\u{202E}" },
		{ kind: "plain", text: " größe 日" },
		{ kind: "escape", text: "\\u{9}\\u{5C}" },
		{ kind: "plain", text: "u{9}↵\n" },
	]);
});

test("a text of countless tricks is still spelled whole, in one piece", () => {
	const text = "a\u200Bѕ".repeat(MAX_PIECES);
	const pieces = spell(text);
	assert.equal(pieces.length, 1);
	assert.equal(pieces[0]?.text, "a\\u{200B}\\u{455}".repeat(MAX_PIECES));
});

test("arguments are quoted so that their borders can be read", () => {
	const words = fc.array(fc.string({ unit: "binary" }));
	fc.assert(
		fc.property(words, words, (left, right) => {
			const same = left.length === right.length && left.every((word, index) => word === right[index]);
			assert.equal(left.map(quoteWord).join(" ") === right.map(quoteWord).join(" "), same);
		}),
		{ numRuns: 300 },
	);
	assert.equal(["rm", "-rf", "a b", "it's", ""].map(quoteWord).join(" "), "rm -rf 'a b' 'it'\\''s' ''");
});

test("a shell's text is shown only if the shell is really given it", () => {
	const shell = "npm test";
	assert.equal(commandText({ ...aCommand(), argv: ["/bin/sh", "-c", shell], shell }), shell);
	assert.equal(commandText({ ...aCommand(), argv: ["/bin/sh", "-c", "rm -rf /"], shell }), "/bin/sh -c 'rm -rf /'");
});

test("a target is named with where it leads, and with everything that should make one look twice", () => {
	const workspace = { roots: ["/repo/app"], cwd: "/repo/app" };
	const file = { operation: "update", added: 1, removed: 2 } as const;
	const alarmsOf = (path: string, resolved: string, movedTo?: string) =>
		targetOf({ ...file, path, resolved, ...(movedTo === undefined ? {} : { movedTo }) }, workspace).alarms;
	assert.deepEqual(alarmsOf("src/a.ts", "/repo/app/src/a.ts"), []);
	assert.deepEqual(alarmsOf("notes", "/home/me/.bashrc"), ["outside workspace"]);
	assert.deepEqual(alarmsOf("a", "/repo/application/a"), ["outside workspace"]);
	assert.deepEqual(alarmsOf("a", "/repo/app/../b"), ["outside workspace"]);
	assert.deepEqual(alarmsOf("a", "/repo/app/a", "/tmp/b"), ["moves to outside workspace"]);
	assert.deepEqual(alarmsOf("a", "/repo/app/a", "../b"), ["moves to outside workspace"]);
	assert.deepEqual(targetOf({ ...file, path: "l", resolved: "/etc/l", protected: "agent rules" }, workspace), {
		name: "l",
		leadsTo: "/etc/l",
		movesTo: undefined,
		alarms: ["outside workspace", "protected: agent rules"],
		operation: "update",
		added: 1,
		removed: 2,
	});
});

test("presses count from 300 ms after the question was painted, by their own time", () => {
	const guard = new PressGuard();
	assert.equal(guard.press(5), false, "not painted yet");
	guard.arm(1_000);
	assert.equal(guard.press(1_000 + GUARD_MS - 1), false);
	assert.equal(guard.click(1_000 + GUARD_MS + 50), false, "its press was too early");
	assert.equal(guard.press(1_000 + GUARD_MS), true);
	assert.equal(guard.click(1_000 + GUARD_MS), true);
	guard.arm(2_000);
	assert.equal(guard.click(2_100), false, "it has moved since");
});

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

test("a question told twice is asked once", () => {
	const thread = requested(requested(new AThread().turn()));
	const { approvals, entries } = aTranscript(thread);
	assert.deepEqual([approvals.length, entries.length], [1, 1]);
});

function renumber(events: AThread["events"], from: number): AThread["events"] {
	return events.map((event, index) => ({ ...event, seq: from + index }));
}

test("turns that were rolled back leave the transcript, and the world is told anew", () => {
	const told = { type: "contextUpdated" as const, fragments: [] };
	const thread = new AThread().turn().add(told).ask("one").answer("1").end();
	thread.turn().add(told).ask("two").answer("2").end().turn().ask("three").end();
	const turnIds = ["turn-2", "turn-3"] as never[];
	thread.add({ type: "rolledBack", turnIds }).turn().add(told).ask("four");
	assert.deepEqual(
		aTranscript(thread).entries.map((entry) => ("text" in entry ? entry.text : "told" in entry ? entry.told : "")),
		["world", "one", "1", "world", "four"],
	);
});

test("what a model is told first is the world, and after that changes", () => {
	const told = { type: "contextUpdated" as const, fragments: [] };
	const thread = new AThread().turn().add(told).turn().add(told);
	assert.deepEqual(
		aTranscript(thread).entries.map((entry) => "told" in entry && entry.told),
		["world", "changes"],
	);
});

test("the output of a call grows while it runs, and is cut with it", () => {
	const call = { kind: "toolCall", id: "c", callId: "c", name: "run_command", arguments: "{}", title: "Run" } as const;
	const thread = new AThread().turn().begin({ ...call, status: "running" });
	const delta = (offset: number, text: string) => {
		const { at, event } = thread.delta("c", offset, text);
		return { at, event: { ...event, itemKind: "toolCall" } } as ReturnType<AThread["delta"]>;
	};
	const running = foldEvents(aTranscript(thread), [delta(0, "one\n"), delta(4, "two\n")]);
	assert.equal(running.live.get("c"), "one\ntwo\n");
	const cut = foldEvents(running, thread.end().events.slice(-1));
	assert.deepEqual(
		cut.entries.map((entry) => entry.kind === "toolCall" && [entry.output, entry.status]),
		[["one\ntwo\n", "interrupted"]],
	);
	const early = foldEvents(foldEvents(emptyTranscript(""), new AThread().turn().events), [delta(0, "x")]);
	assert.equal(early.entries.length, 0, "output of a call that nobody knows");
});

test("a call takes from its first event to its last", () => {
	const call = { kind: "toolCall", id: "c", callId: "c", name: "run_command", arguments: "{}", title: "Run" } as const;
	const { events } = new AThread()
		.turn()
		.begin({ ...call, status: "running" })
		.item({ ...call, status: "completed" });
	const timed = events.map((event, index) => ({ ...event, at: index * 1_000 }));
	const [entry] = foldEvents(emptyTranscript(""), timed).entries;
	assert.deepEqual(entry?.kind === "toolCall" && [entry.startedAt, entry.ms], [1_000, 1_000]);
});

test("a call that nobody was asked about keeps the reason of its verdict, until its end and after", () => {
	const call = { kind: "toolCall", id: "c", callId: "c", name: "run_command", arguments: "{}", title: "Run" } as const;
	const decided = {
		type: "decided",
		callId: "c",
		what: "Run",
		by: "policy",
		digest: "d",
		reason: "It is free.",
	} as const;
	const { events } = new AThread()
		.turn()
		.begin({ ...call, status: "running" })
		.add({ ...decided, decision: "allow" })
		.item({ ...call, status: "completed" });
	const reasons = [3, 4].map((count) => foldEvents(emptyTranscript(""), events.slice(0, count)).entries[0]);
	assert.deepEqual(
		reasons.map((entry) => entry?.kind === "toolCall" && entry.unasked),
		["It is free.", "It is free."],
	);
});

test("a command says itself how long it took and what held it, whatever its turn was held to", () => {
	const call = { kind: "toolCall", id: "c", callId: "c", name: "run_command", arguments: "{}", title: "Run" } as const;
	const command = { exitCode: 0, durationMs: 42, sandbox: "outside the sandbox", containment: "outside" } as const;
	const { events } = new AThread().turn().item({ ...call, status: "completed", command });
	const [entry] = foldEvents(emptyTranscript(""), events).entries;
	assert.ok(entry?.kind === "toolCall");
	assert.deepEqual([entry.ms, entry.held], [42, { word: "outside the sandbox", words: "outside the sandbox" }]);
});

test("a question about leaving the sandbox says so, and so does its record", () => {
	const [inside, outside] = [aCommand(), aCommand({ escalated: true })];
	assert.deepEqual([inside, outside].map(questionOf), ["Run this command?", "Run outside the sandbox?"]);
	assert.equal(subjectInShort(outside), `${subjectInShort(inside)} (outside the sandbox)`);
});
