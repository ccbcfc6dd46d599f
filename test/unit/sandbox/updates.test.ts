import assert from "node:assert/strict";
import { mock, test } from "node:test";
import fc from "fast-check";
import { createUpdates } from "../../../agent-host/sandbox/command/updates.ts";

test("the updates add up to the text, however it is cut into chunks", () => {
	const pieces = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.boolean()), { minLength: 1, maxLength: 40 });
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), pieces, (any, cuts) => {
			const text = any.replaceAll(/\p{Cc}/gu, " ");
			const bytes = Buffer.from(text);
			const told: string[] = [];
			const updates = createUpdates((part) => told.push(part));
			let at = 0;
			for (const [size, isTold] of [...cuts, [bytes.length, true] as const]) {
				updates.push(bytes.subarray(at, at + size));
				at += size;
				if (isTold) updates.flush();
			}
			assert.equal(told.join(""), bytes.toString("utf8"));
		}),
	);
});

test("a flood is reported ten times a second, each time in a few kilobytes (R-44)", () => {
	mock.timers.enable({ apis: ["setTimeout"] });
	const told: number[] = [];
	const updates = createUpdates((text) => told.push(text.length));
	for (let tenth = 0; tenth < 10; tenth += 1) {
		for (let index = 0; index < 100; index += 1) updates.push(Buffer.alloc(65_536, "x"));
		mock.timers.tick(100);
	}
	mock.timers.reset();
	assert.equal(told.length, 10);
	assert.ok(Math.max(...told) < 17_000, String(told));
});
