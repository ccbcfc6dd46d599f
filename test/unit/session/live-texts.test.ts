import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ItemId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { createLiveTexts, type GrowingItem, MAX_LIVE_OUTPUT } from "../../../agent-host/session/thread/live-texts.ts";

const turnId = TurnId.parse("turn");
const aCall = (id: string): GrowingItem => ({ turnId, itemId: ItemId.parse(id), itemKind: "toolCall" });

test("applying every published piece gives the same text as asking for it, and no output exceeds its limit", () => {
	const piece = fc.record({ of: fc.constantFrom("a", "b", "c"), size: fc.integer({ min: 0, max: 30_000 }) });
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
			const texts = createLiveTexts();
			const shown = new Map<string, string>();
			for (const [index, { of, size }] of pieces.entries()) {
				const { offset, text } = texts.append(aCall(of), `${index}\n${"x".repeat(size)}`);
				const known = shown.get(of) ?? "";
				assert.ok(offset <= known.length, "nothing is left out in between");
				shown.set(of, known.slice(0, offset) + text);
			}
			const asked = new Map(texts.read().map(({ itemId, text }) => [String(itemId), text]));
			assert.deepEqual(new Map([...asked].sort()), new Map([...shown].sort()));
			for (const text of shown.values()) assert.ok(text.length <= MAX_LIVE_OUTPUT);
		}),
	);
});

test("simultaneous calls keep separate texts, ordered by latest growth, until each ends", () => {
	const texts = createLiveTexts();
	for (const id of ["a", "b", "a"]) texts.append(aCall(id), `${id}.`);
	assert.deepEqual(
		texts.read().map(({ itemId, text }) => [itemId, text]),
		[
			["a", "a.a."],
			["b", "b."],
		],
	);
	texts.end("a");
	assert.deepEqual(texts.append(aCall("b"), "!"), { offset: 2, text: "!" });
	assert.equal(texts.read().length, 1);
});

test("the model's own text is kept whole, however long", () => {
	const texts = createLiveTexts();
	const said: GrowingItem = { turnId, itemId: ItemId.parse("m"), itemKind: "agentMessage" };
	for (let index = 0; index < 3; index += 1) texts.append(said, "x".repeat(MAX_LIVE_OUTPUT));
	assert.equal(texts.read()[0]?.text.length, 3 * MAX_LIVE_OUTPUT);
});

test("a draft over its limit keeps its newest lines, and hardly any of its text is published twice", () => {
	for (const size of [20, 5_000, 60_000]) {
		const texts = createLiveTexts();
		const draft: GrowingItem = { turnId, itemId: ItemId.parse("d"), itemKind: "draft" };
		const whole = Array.from({ length: 20_000 }, (_, index) => `+a line of a long file, number ${index}\n`).join("");
		let shown = "";
		let published = 0;
		for (let at = 0; at < whole.length; at += size) {
			const { offset, text } = texts.append(draft, whole.slice(at, at + size));
			published += text.length;
			shown = shown.slice(0, offset) + text;
		}
		assert.equal(texts.read()[0]?.text, shown);
		assert.ok(shown.length <= MAX_LIVE_OUTPUT);
		assert.ok(shown.endsWith(whole.slice(-3_000)), "a dozen lines and more");
		assert.ok(published < whole.length * 1.1, `${published} characters of ${whole.length}`);
	}
});
