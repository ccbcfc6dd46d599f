import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldGrowing } from "../../../agent-host/history/fold-growing.ts";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { callIdsIn, normalizeHistory } from "../../../agent-host/history/normalize.ts";

const LONG = 1_000;

interface Numbered {
	readonly value: number;
}

function numbers(count: number): Numbered[] {
	return Array.from({ length: count }, (_, value) => ({ value }));
}

test("only new items of a growing list are visited", () => {
	let visits = 0;
	const sum = foldGrowing<Numbered, number>(
		() => 0,
		(before, { value }) => {
			visits += 1;
			return before + value;
		},
	);
	const items = numbers(LONG);
	sum(items);
	items.push({ value: 5 }, { value: 6 });
	visits = 0;
	assert.equal(sum(items), (LONG * (LONG - 1)) / 2 + 11);
	assert.equal(visits, 2);
	sum([...items]);
	assert.equal(visits, 2, "a copy of the same items is the same list");
});

test("the fold equals that of the current list, however the list changed between two calls", () => {
	const digits = foldGrowing<Numbered, string>(
		() => "",
		(text, { value }, index) => `${text}${index}:${value},`,
	);
	const plain = (items: readonly Numbered[]) => items.map(({ value }, index) => `${index}:${value},`).join("");
	const change = fc.oneof(
		fc.record({ how: fc.constant("add" as const), value: fc.nat() }),
		fc.record({ how: fc.constant("replace" as const), at: fc.nat(2 * LONG), value: fc.nat() }),
		fc.record({ how: fc.constant("shorten" as const), to: fc.nat(2 * LONG) }),
		fc.record({ how: fc.constant("swap" as const), at: fc.nat(LONG) }),
	);
	fc.assert(
		fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
			const items = numbers(LONG);
			for (const one of changes) {
				assert.equal(digits(items), plain(items));
				if (one.how === "add") items.push({ value: one.value });
				if (one.how === "replace" && one.at < items.length) items[one.at] = { value: one.value };
				if (one.how === "shorten") items.length = Math.min(items.length, one.to);
				if (one.how === "swap") items.reverse();
			}
			assert.equal(digits(items), plain(items));
		}),
	);
});

test("a growing long history is normalized to the same result as one seen for the first time", () => {
	const turn = (id: number): readonly HistoryItem[] => [
		{ kind: "userMessage", text: `${id}` },
		{ kind: "toolCall", callId: `c${id}`, name: "t", arguments: "{}" },
		...(id % 3 === 0 ? [] : [{ kind: "toolOutput", callId: `c${id}`, output: "x" } as const]),
		...(id % 5 === 0 ? [{ kind: "toolOutput", callId: `c${id - 1}`, output: "again" } as const] : []),
		{ kind: "agentMessage", text: id % 7 === 0 ? "[muted]" : "a", ...(id % 7 === 0 ? { muted: "secret" } : {}) },
	];
	const history: HistoryItem[] = [];
	let before: readonly HistoryItem[] = [];
	for (let id = 0; id < LONG; id += 1) {
		history.push(...turn(id));
		if (id % 100 !== 99) continue;
		const [kept, lengthBefore] = [before, before.length];
		before = normalizeHistory(history);
		assert.deepEqual(before, normalizeHistory(structuredClone(history)));
		assert.deepEqual(callIdsIn(before), callIdsIn(structuredClone(before)));
		assert.equal(kept.length, lengthBefore, "what was handed out before does not grow");
	}
	assert.ok(!JSON.stringify(before).includes("secret"));
});
