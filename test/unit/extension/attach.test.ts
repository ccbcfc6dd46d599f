import assert from "node:assert/strict";
import { test } from "node:test";
import { cutText, fittingLines, MAX_TEXT_CHARS, rangeLabel, textOfLines } from "../../../extension/attach/lines.ts";
import { createOffers, type Offer } from "../../../extension/attach/offer.ts";

test("a chip names the lines that fit, and exactly those are sent", () => {
	const line = "x".repeat(999);
	const lines = fittingLines(() => line, { from: 5, to: 500 });
	assert.deepEqual(lines, { from: 5, to: 24 });
	assert.equal(rangeLabel("a.ts", lines), "a.ts:5-24");
	assert.equal(textOfLines(() => line, lines).split("\n").length, 20);
	assert.deepEqual(
		fittingLines(() => line, { from: 5, to: 7 }),
		{ from: 5, to: 7 },
	);
});

test("a single line that is too long is cut, and says so", () => {
	const lines = fittingLines(() => "x".repeat(MAX_TEXT_CHARS + 7), { from: 1, to: 2 });
	assert.equal(rangeLabel("a.ts", lines), "a.ts:1");
	assert.match(cutText("x".repeat(MAX_TEXT_CHARS + 7)), /x\n\[cut off: 7 more characters\]$/);
});

function anOffer(key: string): Offer {
	return { key, kind: "file", label: key, title: key, read: () => ({ kind: "file", path: key }) };
}

test("the page learns names, and can attach only what was offered to it", async () => {
	const offers = createOffers();
	assert.deepEqual(offers.make([anOffer("a")]), [{ key: "a", kind: "file", label: "a", title: "a" }]);
	assert.deepEqual(await offers.read(["a"]), [{ kind: "file", path: "a" }]);
	await assert.rejects(offers.read(["a", "/etc/passwd"]), /no longer known/);
});
