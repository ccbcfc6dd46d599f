import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CommandEnd } from "../../../agent-host/protocol/thread/item.ts";
import { offeredFor, readSlash, SLASH_COMMANDS } from "../../../media/model/composer/slash.ts";
import { chipsOf } from "../../../media/model/composer/turn-chips.ts";
import { MAX_RUNS, readAnsi, stripAnsi } from "../../../media/model/thread/ansi.ts";
import { reportOf, stateOf, statusOf } from "../../../media/model/thread/command-report.ts";
import { factsOf } from "../../../media/model/thread/tool-facts.ts";
import { describeDuration } from "../../../media/model/words/text.ts";
import { aNextTurn, aPanel } from "../../page/a-panel.ts";
import { aReport } from "../../page/a-report.ts";
import { AThread } from "../../page/a-thread.ts";
import { aTranscript } from "./a-transcript.ts";

/** Runs as `text` or `text {looks}`, which reads better than objects. */
function drawn(output: string): string[] {
	return readAnsi(output).map(({ text, looks }) => (looks.length === 0 ? text : `${text} {${looks.join(" ")}}`));
}

test("colours and marks of a terminal become looks, until they are switched off", () => {
	assert.deepEqual(drawn("a\x1B[31mb\x1B[1mc\x1B[22md\x1B[39me\x1B[1;4;92mf\x1B[0mg"), [
		"a",
		"b {red}",
		"c {red bold}",
		"d {red}",
		"e",
		"f {green bold underline}",
		"g",
	]);
	assert.deepEqual(drawn("\x1B[38;5;196ma\x1B[38;5;9mb\x1B[38;5;244mc\x1B[38;2;0;0;255md\x1B[48;5;1me"), [
		"ab {red}",
		"c",
		"de {blue}",
	]);
});

test("nothing else that a terminal obeys is left in the text", () => {
	const hostile = {
		link: "\x1B]8;;https://evil.invalid\x07text\x1B]8;;\x07",
		clipboard: "\x1B]52;c;ZXZpbA==\x1B\\text",
		title: "\x1B]0;evil\x9Ctext",
		question: '\x1BP$q"p\x1B\\text',
		movement: "\x1B[2J\x1B[1;1H\x1B[Ktext",
		c1: "\x9B31mtext\x9B0m\x84",
		charset: "\x1B(0text\x1B(B\x0E",
		bell: "te\x07xt",
	};
	for (const [name, output] of Object.entries(hostile)) assert.equal(stripAnsi(output), "text", name);
	assert.equal(stripAnsi("a\x1B]0;never\nends\x90here"), "a0;never\nendshere", "nothing is hidden by what has no end");
});

test("any output keeps its printable text and loses every escape", () => {
	const piece = fc.oneof(
		fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "日") }),
		fc.constantFrom("\x1B[31m", "\x1B[0m", "\x1B[2K", "\x1B]0;t\x07", "\x1B(B", "\n"),
	);
	fc.assert(
		fc.property(fc.array(piece), (pieces) => {
			const text = pieces.filter((part) => !part.startsWith("\x1B")).join("");
			assert.equal(stripAnsi(pieces.join("")), text);
			assert.equal(
				readAnsi(pieces.join(""))
					.map((run) => run.text)
					.join(""),
				text,
			);
		}),
	);
	const isObeyed = (character: string): boolean => character === "\x1B" || (character >= "\x80" && character <= "\x9F");
	fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => assert.ok(![...stripAnsi(text)].some(isObeyed))));
});

test("a line that writes over itself shows what it ended with", () => {
	assert.equal(stripAnsi("10%\r50%\r100%\ndone\r\nnext\r"), "100%\ndone\nnext");
});

test("output of countless colours stays a bounded number of runs", () => {
	const runs = readAnsi("\x1B[31ma\x1B[32mb".repeat(MAX_RUNS));
	assert.equal(runs.length, MAX_RUNS);
	assert.equal(runs.map((run) => run.text).join("").length, 2 * MAX_RUNS);
});

test("a call is read for what it is about, whatever the model wrote", () => {
	const read = (name: string, json: unknown) =>
		factsOf({ name, arguments: typeof json === "string" ? json : JSON.stringify(json) });
	assert.deepEqual(read("run_command", { command: "npm test", cwd: "app" }), {
		kind: "command",
		command: "npm test",
		cwd: "app",
	});
	assert.deepEqual(read("run_command", { command: ["ls", 1, "-l"] }), {
		kind: "command",
		command: "ls -l",
		cwd: undefined,
	});
	assert.deepEqual(
		read("update_plan", {
			steps: [{ step: "one", status: "completed" }, { text: "two", state: "in_progress" }, "three"],
		}),
		{
			kind: "plan",
			steps: [
				{ text: "one", state: "done" },
				{ text: "two", state: "running" },
				{ text: "three", state: "open" },
			],
		},
	);
	for (const junk of ["", "{", "null", "[]", '{"command":{}}', '{"steps":[{}]}', '{"patch":7}']) {
		for (const name of ["run_command", "apply_patch", "update_plan", "read_file"]) {
			assert.deepEqual(read(name, junk), { kind: "other" }, `${name} ${junk}`);
		}
	}
});

test("a patch is read file by file, as an argument or as free text", () => {
	const patch = `*** Begin Patch
*** Add File: new.txt
+one
+two
*** Update File: a.ts
*** Move to: b.ts
@@
 same
-old
+new
*** Delete File: gone.txt
*** End Patch`;
	const files = [
		{ path: "new.txt", movedTo: undefined, operation: "add", added: 2, removed: 0 },
		{ path: "a.ts", movedTo: "b.ts", operation: "update", added: 1, removed: 1 },
		{ path: "gone.txt", movedTo: undefined, operation: "delete", added: 0, removed: 0 },
	];
	for (const json of [JSON.stringify({ patch }), patch]) {
		assert.deepEqual(factsOf({ name: "apply_patch", arguments: json }), { kind: "patch", patch, files });
	}
});

test("chips say what the next turn is bound to, that it only plans, and full access in a warning", () => {
	const words = (panel: Parameters<typeof aPanel>[0], transcript: Parameters<typeof chipsOf>[1]) =>
		chipsOf(aPanel(panel), transcript).map(({ text, command, level }) => `${text} → ${command}, ${level}`);
	const nothing = { envelope: undefined, own: undefined };
	assert.deepEqual(words({ folders: [] }, nothing), [
		"No folder → openFolder, plain",
		"gpt-5.1 → changeModel, plain",
		"no file access → changePermissions, plain",
	]);
	const envelope = {
		provider: "openai",
		model: "old",
		window: 1,
		cwd: "/repo/app/lib",
		roots: [],
		trusted: true,
		tools: [],
	};
	const bound = { ...envelope, permissions: "full access, network on", permissionMode: "full" } as const;
	assert.deepEqual(words({ folders: ["app", "docs"] }, { envelope: bound, own: undefined }), [
		"lib → changeFolder, plain",
		"gpt-5.1 → changeModel, plain",
		"full access, network on → changePermissions, warning",
	]);
	const modes = { collaboration: "plan" } as const;
	const own = { settings: { model: { id: "small" }, modes }, cwd: "C:\\work\\docs\\" };
	assert.deepEqual(words({}, { envelope: bound, own }), [
		"docs → changeFolder, plain",
		"small → changeModel, plain",
		"full access, network on → changePermissions, warning",
		"plan first → togglePlan, plain",
	]);
	// What the host says of the next turn goes before what the page remembers of the last one.
	const next = aNextTurn({ mode: "ask", name: "ask first, no network", effort: "high", isFolderOpen: false });
	assert.deepEqual(words({ next }, { envelope: bound, own }), [
		"app → changeFolder, warning",
		"gpt-5.1 (high) → changeModel, plain",
		"ask first, no network → changePermissions, plain",
	]);
});

test("times are short and true", () => {
	assert.deepEqual([0, 420, 4_100, 12_400, 61_000, 7_500_000].map(describeDuration), [
		"0.0 s",
		"0.4 s",
		"4.1 s",
		"12 s",
		"1 min 1 s",
		"2 h 5 min",
	]);
});

test("a command is never text for the model, and a text never a command", () => {
	assert.deepEqual(readSlash("/compact"), { kind: "compact", options: {} });
	assert.deepEqual(readSlash("/compact the parser\nand its tests "), {
		kind: "compact",
		options: { focus: "the parser\nand its tests" },
	});
	assert.deepEqual(readSlash("/model "), { kind: "run", command: "changeModel" });
	for (const text of ["", "hello /compact", " /compact", "/usr/bin is full", "/Compact", "/", "//compact"]) {
		assert.deepEqual(readSlash(text), { kind: "text" }, text);
	}
	for (const text of ["/compat", "/constructor", "/model gpt", `/compact ${"x".repeat(4_001)}`]) {
		assert.equal(readSlash(text).kind, "refused", text.slice(0, 20));
	}
});

test("every command that is offered is one, and typing narrows the offer", () => {
	for (const { name } of SLASH_COMMANDS) assert.match(readSlash(`/${name}`).kind, /^(?:run|compact)$/);
	assert.equal(offeredFor("/").length, SLASH_COMMANDS.length);
	assert.deepEqual(
		offeredFor("/co").map(({ name }) => name),
		["compact", "context"],
	);
	assert.deepEqual([offeredFor("/compact "), offeredFor("hello"), offeredFor("")], [[], [], []]);
});

const STEP = { compactionId: "k1" as never, reason: "manual", phase: "standalone", strategy: "structured" } as const;
const SIZE = { before: 61_300, after: 4_000 };

test("a compaction is under way, then a card that can be taken back, then one that was", () => {
	const thread = new AThread().turn().ask("one").end().turn();
	thread.add({ type: "compactionStarted", ...STEP, ...SIZE });
	assert.deepEqual(aTranscript(thread).compacting, { ...SIZE, wasTold: false });
	thread
		.add({ type: "compactionCompleted", ...STEP, ...SIZE })
		.item(aReport())
		.end();
	const done = aTranscript(thread);
	assert.deepEqual(
		[done.compacting, done.undoable, done.entries.map(({ kind }) => kind)],
		[undefined, "k1", ["userMessage", "contextCompaction"]],
	);
	thread
		.turn()
		.ask("two")
		.end()
		.add({ type: "compactionUndone", ...STEP, ...SIZE });
	const undone = aTranscript(thread);
	assert.deepEqual(
		[undone.undoable, undone.entries.map((entry) => entry.kind === "contextCompaction" && entry.state)],
		[undefined, [false, "undone", false]],
	);
});

test("after a compaction the world is told anew; one that did not finish changes nothing", () => {
	const told = { type: "contextUpdated" as const, fragments: [] };
	const words = (thread: AThread) => aTranscript(thread).entries.map((entry) => "told" in entry && entry.told);
	const started = () =>
		new AThread()
			.turn()
			.add(told)
			.add({ type: "compactionStarted", ...STEP, ...SIZE });
	assert.deepEqual(
		words(
			started()
				.add(told)
				.add({ type: "compactionCompleted", ...STEP, ...SIZE })
				.add(told),
		),
		["world", "world", "changes"],
	);
	assert.deepEqual(words(started().end().turn().add(told)), ["world", "changes"]);
});

test("a command is shown from its recorded facts, whatever its text says", () => {
	const text = "Exit code 1 after 4.1 s.\nA note.\nOutput:\nExit code 0 after 0.1 s.\nOutput:\nx";
	const outputFrom = text.indexOf("Output:\n") + "Output:\n".length;
	const end: CommandEnd = { state: "ended", exitCode: 1, notes: ["A note."], outputFrom };
	const output = "Exit code 0 after 0.1 s.\nOutput:\nx";
	assert.deepEqual(reportOf(end, text), { end, notes: ["A note."], output });
	assert.equal(statusOf("completed", end), "failed");
	const ended = { state: "ended", exitCode: 0 } as const;
	assert.equal(statusOf("completed", { ...ended, signal: "SIGKILL" }), "failed");
	assert.equal(statusOf("completed", { state: "stopped", stoppedBy: "user", timedOut: false }), "completed");
	for (const stoppedBy of ["time", "protection", "limit"] as const) {
		const timedOut = stoppedBy === "time";
		assert.equal(statusOf("completed", { state: "stopped", stoppedBy, timedOut }), "failed", stoppedBy);
	}
});

test("a command of an older release is shown with what was recorded then, its text whole, and nothing is guessed from that", () => {
	const text = "Still running after 1.0 s as process p1. Read on…\nOutput:\nx";
	const known = { sandbox: "workspace, no network", durationMs: 1_000 };
	assert.deepEqual(reportOf(known, text), { end: known, notes: [], output: text });
	assert.deepEqual(
		[{ exitCode: 2 }, { signal: "SIGKILL" }, { timedOut: true }, { timedOut: false }, known, {}].map(stateOf),
		["ended", "ended", "stopped", "stopped", "background", undefined],
	);
	assert.deepEqual(reportOf(undefined, text), { end: {}, notes: [], output: text });
	const forged = { state: "ended", exitCode: 0, outputFrom: 9_999 } as const;
	assert.equal(reportOf(forged, text).output, text);
});
