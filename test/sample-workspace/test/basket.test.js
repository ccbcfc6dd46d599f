import assert from "node:assert/strict";
import { test } from "node:test";
import { priceOf } from "../src/basket.js";

test("the tenth piece brings the discount", () => {
	const apples = (pieces) => priceOf({ article: "Apples", pieces, cents: 35 });
	assert.deepEqual([9, 10, 11].map(apples), [315, 315, 346]);
});
