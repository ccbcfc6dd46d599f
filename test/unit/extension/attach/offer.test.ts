import assert from "node:assert/strict";
import { test } from "node:test";
import { createOffers, type Offer } from "../../../../extension/attach/offer.ts";

function anOffer(key: string): Offer {
	return { key, kind: "file", label: key, title: key, read: () => ({ kind: "file", path: key }) };
}

test("the page is given only names, and can attach only what was offered to it", async () => {
	const offers = createOffers();
	assert.deepEqual(offers.make([anOffer("a")]), [{ key: "a", kind: "file", label: "a", title: "a" }]);
	assert.deepEqual(await offers.read(["a"]), [{ kind: "file", path: "a" }]);
	await assert.rejects(offers.read(["a", "/etc/passwd"]), /no longer available/);
});
