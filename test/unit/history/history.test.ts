import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { normalizeHistory } from "../../../agent-host/history/normalize.ts";
import { percentLeft } from "../../../agent-host/history/token-usage.ts";
import { estimateTokens } from "../../../agent-host/history/tokens.ts";
import { truncateMiddle } from "../../../agent-host/history/truncate.ts";

const callId = fc.constantFrom("a", "b", "c");
const item: fc.Arbitrary<HistoryItem> = fc.oneof(
	fc.record({ kind: fc.constant("userMessage" as const), text: fc.string() }),
	fc.record({ kind: fc.constant("toolCall" as const), callId, name: fc.constant("t"), arguments: fc.constant("{}") }),
	fc.record({ kind: fc.constant("toolOutput" as const), callId, output: fc.string() }),
);

test("every call is followed by exactly one output, and no output stands alone, whatever was recorded", () => {
	fc.assert(
		fc.property(fc.array(item), (items) => {
			const seen = new Map<string, string>();
			for (const entry of normalizeHistory(items)) {
				if (entry.kind === "toolCall") {
					assert.equal(seen.get(entry.callId), undefined);
					seen.set(entry.callId, "called");
				} else if (entry.kind === "toolOutput") {
					assert.equal(seen.get(entry.callId), "called");
					seen.set(entry.callId, "answered");
				}
			}
			assert.deepEqual(new Set(seen.values()), new Set(seen.size === 0 ? [] : ["answered"]));
		}),
	);
});

test("an output that came before its call is not lost to the call's repair", () => {
	const early: HistoryItem = { kind: "toolOutput", callId: "a", output: "early" };
	const call: HistoryItem = { kind: "toolCall", callId: "a", name: "t", arguments: "{}" };
	assert.deepEqual(
		normalizeHistory([early, call]).map(({ kind }) => kind),
		["toolCall", "toolOutput"],
	);
});

test("a well-formed history is sent as it is", () => {
	const items: readonly HistoryItem[] = [
		{ kind: "userMessage", text: "hi" },
		{ kind: "toolCall", callId: "a", name: "t", arguments: "{}" },
		{ kind: "toolOutput", callId: "a", output: "x" },
	];
	assert.deepEqual(normalizeHistory(items), items);
});

test("a shortened text fits its budget, keeps head and tail, and never splits a character", () => {
	fc.assert(
		fc.property(
			fc.string({ unit: "grapheme", minLength: 50, maxLength: 400 }),
			fc.integer({ min: 5, max: 60 }),
			(text, max) => {
				const short = truncateMiddle(text, max);
				if (short === text) return assert.ok(estimateTokens(text) <= max);
				assert.ok(short.isWellFormed());
				const [head = "", tail = ""] = short.split(/\n\[… \d+ characters omitted; request a smaller part …\]\n/);
				assert.ok(text.startsWith(head) && text.endsWith(tail));
				assert.ok(estimateTokens(head) + estimateTokens(tail) <= max, "but for its own words");
				assert.match(short, new RegExp(`… ${text.length - head.length - tail.length} characters omitted`));
			},
		),
	);
});

test("an unbroken blob counts for far more tokens than prose of the same length", () => {
	assert.ok(estimateTokens("ab12".repeat(200)) > 2 * estimateTokens("word wor ".repeat(89)));
});

test("the percentage left ignores the fixed prefix on both sides and stays between 0 and 100", () => {
	assert.deepEqual(
		[2_000, 6_000, 10_000, 99_000].map((total) => percentLeft(total, 10_000, 2_000)),
		[100, 50, 0, 0],
	);
	const of = (window: number) => [12_000, 135_200, window].map((total) => percentLeft(total, window, 12_000));
	assert.deepEqual(
		[of(258_400), of(12_000)],
		[
			[100, 50, 0],
			[0, 0, 0],
		],
		"as S31 says, and no room at all is none left",
	);
});
