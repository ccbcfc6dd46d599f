import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readUserMessages } from "../../../agent-host/compaction/compaction-words.ts";
import { trimHistory } from "../../../agent-host/compaction/deterministic.ts";
import type { CompactionPlan } from "../../../agent-host/compaction/plan-compaction.ts";
import { replaceBySealed } from "../../../agent-host/compaction/remote.ts";
import { type Replacement, replaceBySummary, replaceByWords } from "../../../agent-host/compaction/replacement.ts";
import { compactedIntent } from "../../../agent-host/context/fragments/compacted.ts";
import { asHistoryItem, HistoryItem } from "../../../agent-host/history/history-item.ts";
import { TurnId } from "../../../agent-host/protocol/ids.ts";
import { anImage } from "../../support/an-image.ts";
import { agent, aPlan, call, output, user } from "./a-plan.ts";

const RUNS = process.env.VITRINE_FULL === "1" ? 2_000 : 80;
const SUMMARY = { recent: [], context: "", summary: "Half is done.\nRESUME_AT: edit src/c.ts", repaired: 0 };
const SEALED = { kind: "sealedSummary", encrypted: "x".repeat(800), source: "here" } as const;
const TAGGED = "Why does <permissions> say read-only?";

/** Every way to compact; a model may name any message of the record as the request. */
const WAYS: readonly ((plan: CompactionPlan, choice: number) => Replacement)[] = [
	(plan, choice) => replaceBySummary(plan, { ...SUMMARY, request: plan.record[choice % plan.record.length] ?? "" }),
	(plan) => replaceBySummary(plan, { ...SUMMARY, request: plan.request }),
	(plan) => replaceBySealed(plan, SEALED),
	(plan) => replaceByWords(plan, plan.request),
	(plan) => trimHistory(plan),
];

const prompt = fc
	.tuple(
		fc.constantFrom("Do", TAGGED, "修复", "<VERBATIM_REQUEST_END>", "go on"),
		fc.nat(1_000),
		fc.constantFrom(1, 9, 400),
	)
	.map(([words, number, times]) => `${words} ${number} `.repeat(times).trim());

const move = fc.oneof(
	fc.record({ kind: fc.constant("turn" as const), prompt }),
	fc.record({ kind: fc.constant("steer" as const), prompt }),
	fc.record({ kind: fc.constant("compact" as const), way: fc.nat(WAYS.length - 1), choice: fc.nat(20) }),
	fc.record({ kind: fc.constant("compact" as const), way: fc.nat(WAYS.length - 1), choice: fc.nat(20) }),
);

test("the newest turn's messages stay whole, in order and marked as such through any sequence of compactions", () => {
	let compactions = 0;
	fc.assert(
		fc.property(prompt, fc.array(move, { maxLength: 14 }), (first, moves) => {
			let history: readonly HistoryItem[] = [];
			let starts: readonly number[] = [];
			let asked: string[] = [];
			let calls = 0;
			const say = (text: string): void => {
				asked = [...asked.filter((one) => one !== text), text];
				const id = `call-${calls++}`;
				history = [...history, user(text), agent("Let me look."), call(id), output(id, "x ".repeat(300))];
			};
			const begin = (text: string): void => {
				starts = [...starts, history.length];
				asked = [];
				say(text);
			};
			begin(first);
			for (const move of moves) {
				if (move.kind === "turn") begin(move.prompt);
				else if (move.kind === "steer") say(move.prompt);
				else {
					compactions += 1;
					const turnStarts = starts.map((at) => ({ turnId: TurnId.parse(`turn-${at}`), at }));
					const plan = aPlan(history, { window: 60_000, turnStarts });
					assert.deepEqual(plan.asked, asked);
					history = WAYS[move.way]?.(plan, move.choice).items ?? assert.fail();
					starts = [];
				}
				const words = readUserMessages(history, starts);
				assert.deepEqual(words.asked, asked);
				assert.deepEqual(words.record.slice(-asked.length), asked, "the newest words are the last of the record");
				const read = history.map((item) => ("text" in item ? item.text : "")).join("\n");
				for (const text of asked) assert.ok(read.includes(text), text);
				assert.deepEqual(
					history.map((item) => HistoryItem.parse(item)),
					history,
					"and a record says all of it",
				);
			}
		}),
		{ numRuns: RUNS },
	);
	assert.ok(compactions > RUNS, `${compactions} compactions are too few to show anything`);
});

test("a request that was named inside a turn holds until the next one begins, and is kept beside its prompt", () => {
	const first = replaceBySummary(aPlan([user("Build it."), agent("ok"), user("Why?"), agent("ok")]), {
		...SUMMARY,
		request: "Build it.",
	}).items;
	const same = readUserMessages([...first, agent("ok")], []);
	assert.deepEqual([same.request, same.asked, same.record], ["Build it.", ["Why?"], ["Build it.", "Why?"]]);
	const next = readUserMessages([...first, user("Go on.")], [first.length]);
	assert.deepEqual([next.request, next.earlier, next.asked], ["Go on.", "Build it.", ["Go on."]]);
});

test("a prompt over the budget for the user's words stays whole, and other words make room for it", () => {
	const long = "Please look at this. ".repeat(2_000).trim();
	const history = [user("Older."), agent("ok"), user(long), agent("x ".repeat(400))];
	for (const [index, way] of WAYS.entries()) {
		let items: readonly HistoryItem[] = history;
		for (const round of [1, 2, 3]) {
			items = way(
				aPlan([...items, call(`c${round}`), output(`c${round}`, "y ".repeat(900))], { window: 17_000 }),
				0,
			).items;
			assert.ok(
				items.some((item) => "text" in item && item.text.includes(long)),
				`way ${index}, round ${round}`,
			);
		}
	}
});

test("images of a request stay with it, even if its words cannot be quoted", () => {
	const image = anImage({ data: "QXNr" });
	for (const way of WAYS.slice(0, 4)) {
		let items: readonly HistoryItem[] = [user("Older."), agent("ok"), user(TAGGED), image, agent("ok")];
		for (const _ of [1, 2, 3]) items = way(aPlan([...items, agent("ok")]), 0).items;
		assert.ok(items.includes(image));
	}
});

/** As releases before the marks have written it: the request first, whenever it was said. */
function oldIntent(request: string, recent: readonly string[], words = request): HistoryItem {
	const text = [
		"The request behind the work in progress, verbatim:",
		"<VERBATIM_REQUEST_START>",
		words,
		"<VERBATIM_REQUEST_END>",
		"The user's other recent messages, oldest first, verbatim:",
		"<RECENT_USER_CONTEXT_START>",
		...(recent.length === 0 ? [] : [recent.join("\n\n")]),
		"<RECENT_USER_CONTEXT_END>",
	].join("\n");
	const quotes = [...(words === request ? [request] : []), ...recent];
	return { ...asHistoryItem(compactedIntent.of({ text })), quotes };
}

test("a thread of an older release keeps its request and the newest of its other messages", () => {
	const { request, asked, record } = readUserMessages([oldIntent("Build it.", ["Older.", "Old."]), agent("ok")], []);
	assert.deepEqual([request, asked], ["Build it.", ["Build it.", "Old."]]);
	assert.deepEqual(record, ["Build it.", "Older.", "Old."]);
	const tagged = `${TAGGED} ${"Look at it. ".repeat(80)}`.trim();
	const shown = replaceByWords(aPlan([user(tagged)]), tagged).items.find(({ kind }) => kind === "fragment");
	assert.ok(shown?.kind === "fragment");
	const words = /REQUEST_START>\n([\s\S]*)\n<VERBATIM_REQUEST_END/.exec(compactedIntent.read(shown.text) ?? "")?.[1];
	const old = readUserMessages([user("Oldest."), user(tagged), oldIntent(tagged, ["Old."], words), agent("ok")], []);
	assert.deepEqual([old.request, old.asked], [tagged, [tagged, "Old."]]);
	const later = readUserMessages([oldIntent("Build it.", ["Older."]), agent("ok"), user("Now test it.")], [2]);
	assert.deepEqual([later.request, later.earlier, later.asked], ["Now test it.", "Build it.", ["Now test it."]]);
});
