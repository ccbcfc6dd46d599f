import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CommandEnd } from "../../../../../agent-host/protocol/thread/item.ts";
import { findMatches } from "../../../../../media/model/find/find-matches.ts";
import { foldEvents } from "../../../../../media/model/thread/fold-events.ts";
import { buildRows, NO_ROWS, type Row } from "../../../../../media/model/thread/rows.ts";
import { areStepsOpen, findStepsAround, foldSteps, showSteps } from "../../../../../media/model/thread/steps.ts";
import { emptyTranscript } from "../../../../../media/model/thread/transcript.ts";
import { ListModel } from "../../../../../media/view/transcript/list/list-model.ts";
import type { ChatSettings } from "../../../../../media/wire.ts";
import { AThread } from "../../../../page/a-thread.ts";
import { anApproval } from "../../../../page/an-approval.ts";

const CALL = { kind: "toolCall", callId: "c", name: "read_file", title: "Read", arguments: "{}" } as const;
const READ = { ...CALL, status: "completed", output: "1: needle" } as const;
const NOTHING_OPEN: ReadonlySet<string> = new Set();

function rowsOf({ events }: AThread, when: ChatSettings["foldSteps"] = "auto"): readonly Row[] {
	const transcript = foldEvents(emptyTranscript(""), events);
	return foldSteps(buildRows(transcript, NO_ROWS).rows, transcript, when);
}

/** Each row in a word, lines with the number of their steps. */
function shapeOf(thread: AThread, when?: ChatSettings["foldSteps"]): string[] {
	return rowsOf(thread, when).map((row) => (row.type === "steps" ? `${row.steps.length} steps` : row.kind));
}

function aTurnOfReads(count: number): AThread {
	const thread = new AThread().turn().ask("Where?");
	for (let read = 0; read < count; read++) thread.item(READ);
	return thread.answer("There.");
}

function theLine(thread: AThread) {
	const row = rowsOf(thread).find(({ type }) => type === "steps");
	assert.ok(row?.type === "steps");
	return row;
}

test("thoughts and successful calls become one line once their turn has ended", () => {
	const thread = new AThread().turn().ask("Where?").item({ kind: "reasoning", text: "Hm." }).item(READ).item(READ);
	assert.deepEqual(shapeOf(thread), ["userMessage", "reasoning", "toolCall", "toolCall"]);
	assert.deepEqual(shapeOf(thread.answer("There.").end()), ["userMessage", "3 steps", "agentMessage"]);
});

test("one or two steps are not folded, and steps of two turns never share a line", () => {
	assert.deepEqual(shapeOf(aTurnOfReads(2).end()), ["userMessage", "toolCall", "toolCall", "agentMessage"]);
	const two = new AThread().turn().item(READ).item(READ).end().turn().item(READ).item(READ).end();
	assert.deepEqual(shapeOf(two), ["toolCall", "toolCall", "toolCall", "toolCall"]);
});

test("a turn that failed or was stopped folds like any other, except the step that ended it", () => {
	for (const status of ["failed", "interrupted"] as const) {
		const thread = aTurnOfReads(4)
			.begin({ ...CALL, status: "running" })
			.add({ type: "turnCompleted", status });
		assert.deepEqual(shapeOf(thread), ["userMessage", "4 steps", "agentMessage", "toolCall", "turnEnd"], status);
		assert.deepEqual(findMatches(rowsOf(thread), "needle").length, 4, status);
	}
});

test("steps fold while their turn runs, or never, when the user has set it so", () => {
	const reads = ["toolCall", "toolCall", "toolCall"];
	const thread = aTurnOfReads(3)
		.begin({ kind: "reasoning", text: "" })
		.begin({ ...CALL, status: "running" });
	const rest = ["agentMessage", "reasoning", "toolCall"];
	assert.deepEqual(shapeOf(thread, "auto"), ["userMessage", ...reads, ...rest]);
	assert.deepEqual(shapeOf(thread, "always"), ["userMessage", "3 steps", ...rest]);
	assert.deepEqual(shapeOf(aTurnOfReads(3).end(), "never"), ["userMessage", ...reads, "agentMessage"]);
});

const RUN = { ...CALL, name: "run_command", arguments: '{"command":"npm test"}', status: "completed" } as const;

function ended(command: CommandEnd) {
	return { ...RUN, command };
}

function aPatchOf(...lines: readonly string[]): string {
	return JSON.stringify({ patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
}

/** What a person must see, each in its own way. */
const KEPT: Readonly<Record<string, (thread: AThread) => AThread>> = {
	"a failed call": (thread) => thread.item({ ...CALL, status: "failed" }),
	"a stopped call": (thread) => thread.item({ ...CALL, status: "interrupted" }),
	"an exit code": (thread) => thread.item(ended({ exitCode: 1 })),
	"a signal": (thread) => thread.item(ended({ signal: "SIGKILL" })),
	"a time limit": (thread) => thread.item(ended({ timedOut: true })),
	"a refused host": (thread) => thread.item(ended({ exitCode: 0, refusedHosts: [{ host: "a.b:1", reason: "No." }] })),
	"a command of which only its text tells how it ended": (thread) =>
		thread.item({ ...RUN, output: "Exit code 2 after 0.1 s.\nNo output." }),
	"a command in the background": (thread) => thread.item(ended({ state: "background", processId: "p1" })),
	"a command in the background, as older releases recorded it": (thread) =>
		thread.item(ended({ sandbox: "Workspace, network off", durationMs: 20_000 })),
	"a background command that was waited for": (thread) =>
		thread.item({ ...ended({ state: "background", processId: "p1" }), name: "write_command_input" }),
	"a command that the sandbox stopped": (thread) =>
		thread.item(ended({ state: "stopped", stoppedBy: "protection", timedOut: false })),
	"the user's own command": (thread) => thread.item({ ...ended({ exitCode: 0 }), by: "user" }),
	"a patch that deletes a file": (thread) =>
		thread.item({ ...READ, name: "apply_patch", arguments: aPatchOf("*** Delete File: a.ts") }),
	"the newest plan": (thread) => thread.item({ ...READ, name: "update_plan" }),
	"an answer": (thread) => thread.answer("So far, so good."),
	"what the user said": (thread) =>
		thread.item({ kind: "userMessage", messageKind: "plain", text: "Faster", steered: true }),
	"a notice": (thread) => thread.item({ kind: "notice", level: "info", text: "Note." }),
	"a warning": (thread) => thread.add({ type: "warning", code: "w", message: "Careful." }),
	"a question": (thread) => thread.add({ type: "approvalRequested", request: anApproval() }),
};

for (const [what, add] of Object.entries(KEPT)) {
	test(`never folded away: ${what}`, () => {
		const thread = add(new AThread().turn().item(READ).item(READ).item(READ)).item(READ).item(READ).item(READ).end();
		const [before, kept, after, ...more] = rowsOf(thread);
		assert.deepEqual([before?.type, after?.type, more], ["steps", "steps", []]);
		assert.notEqual(kept?.type, "steps");
	});
}

test("edits fold with the rest of their turn", () => {
	const edit = { ...READ, name: "apply_patch", arguments: aPatchOf("*** Update File: a.ts", "-a", "+b") };
	assert.deepEqual(shapeOf(new AThread().turn().item(READ).item(edit).item(READ).end()), ["3 steps"]);
});

test("a finished newest plan counts as a step once its turn has ended", () => {
	const plan = (status: string) => {
		return { ...READ, name: "update_plan", arguments: JSON.stringify({ steps: [{ step: "One", status }] }) };
	};
	const thread = (status: string) => new AThread().turn().item(READ).item(READ).item(plan(status));
	assert.deepEqual(shapeOf(thread("completed").end()), ["3 steps"]);
	assert.deepEqual(shapeOf(thread("pending").end()), ["toolCall", "toolCall", "toolCall"]);
	assert.deepEqual(shapeOf(thread("completed"), "always"), ["toolCall", "toolCall", "toolCall"]);
});

test("an older plan counts as a step", () => {
	const plan = { ...READ, name: "update_plan" };
	const thread = new AThread().turn().item(plan).item(READ).item(READ).end().turn().item(plan).end();
	assert.deepEqual(shapeOf(thread), ["3 steps", "toolCall"]);
});

test("a thread's whole content is shown in order once every line is open", () => {
	const entry = fc.constantFrom(...Object.values(KEPT), (thread: AThread) => thread.item(READ));
	fc.assert(
		fc.property(fc.array(fc.array(entry, { maxLength: 12 }), { maxLength: 4 }), (turns) => {
			const thread = new AThread();
			for (const turn of turns) turn.reduce((grown, add) => add(grown), thread.turn()).end();
			const transcript = foldEvents(emptyTranscript(""), thread.events);
			const { rows } = buildRows(transcript, NO_ROWS);
			const folded = foldSteps(rows, transcript, "auto");
			const lines = folded.flatMap((row) => (row.type === "steps" ? [row.key] : []));
			const shown = showSteps(folded, new Set(lines)).filter(({ type }) => type !== "steps");
			assert.deepEqual(
				shown.map(({ key }) => key),
				rows.map(({ key }) => key),
			);
		}),
	);
});

test("a line says how long its steps took, from the first to the last to end", () => {
	const thread = new AThread().turn().begin({ kind: "reasoning", id: "r", text: "" });
	thread.item({ kind: "reasoning", id: "r", text: "Hm." }).begin({ ...CALL, id: "a", status: "running" });
	thread
		.begin({ ...CALL, id: "b", status: "running" })
		.item({ ...READ, id: "b" })
		.item({ ...READ, id: "a" })
		.end();
	const events = thread.events.map((event, index) => ({ ...event, at: 1_000 * index }));
	const transcript = foldEvents(emptyTranscript(""), events);
	const [line] = foldSteps(buildRows(transcript, NO_ROWS).rows, transcript, "auto");
	assert.equal(line?.type === "steps" && line.ms, 5_000);
});

test("a line is the same row while other turns go on", () => {
	const thread = aTurnOfReads(3).end();
	const before = foldEvents(emptyTranscript(""), thread.events);
	const seen = thread.events.length;
	const after = foldEvents(before, thread.turn().ask("And?").events.slice(seen));
	const [first, again] = [before, after].map((state) => foldSteps(buildRows(state, NO_ROWS).rows, state, "auto")[1]);
	assert.equal(first?.type, "steps");
	assert.equal(again, first);
});

test("steps are shown below their line when it is open, or when the reader has opened one of them", () => {
	const thread = aTurnOfReads(3).end();
	const line = theLine(thread);
	const [, second] = line.steps;
	const shown = (open: ReadonlySet<string>) => showSteps(rowsOf(thread), open).map(({ key }) => key);
	assert.deepEqual(shown(NOTHING_OPEN), ["item-1", line.key, "item-5"]);
	assert.deepEqual(shown(new Set([line.key])), ["item-1", line.key, "item-2", "item-3", "item-4", "item-5"]);
	assert.deepEqual(shown(new Set([second?.key ?? ""])), shown(new Set([line.key])));
	assert.equal(areStepsOpen(line, new Set(["item-1"])), false);
});

test("words in folded steps are found, and opening the fold shows them", () => {
	const rows = rowsOf(aTurnOfReads(3).end());
	const matches = findMatches(rows, "needle");
	assert.deepEqual(
		matches.map(({ row }) => row),
		["item-2", "item-3", "item-4"],
	);
	for (const { row, fold } of matches) {
		assert.ok(showSteps(rows, new Set([fold ?? ""])).some(({ key }) => key === row));
	}
});

test("a folded step leads to the line that stands for it", () => {
	const model = new ListModel();
	const thread = aTurnOfReads(3).end();
	model.setRows(rowsOf(thread));
	assert.equal(findStepsAround(model.rows, "item-3")?.key, theLine(thread).key);
	assert.equal(findStepsAround(model.rows, "item-1"), undefined);
});
