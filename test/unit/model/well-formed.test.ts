import assert from "node:assert/strict";
import { test } from "node:test";
import { replaceLoneSurrogates, writeWellFormed } from "../../../agent-host/model/wires/connection/well-formed.ts";

const HALF = { input: [{ text: "a", parts: ["b", { "de\udc00ep": "\ud83d!" }] }], name: "c" };
const MENDED = { input: [{ text: "a", parts: ["b", { "de\ufffdep": "\ufffd!" }] }], name: "c" };

test("half of a character is replaced anywhere, and well-formed text is passed on unchanged", () => {
	const whole = { input: [{ text: "a 😀", parts: ["b"], count: 1, none: null }] };
	assert.equal(replaceLoneSurrogates(whole), whole);
	assert.deepEqual(replaceLoneSurrogates(HALF), MENDED);
});

test("a request is written with whole characters only, and otherwise as JSON writes it", () => {
	assert.equal(writeWellFormed(HALF), JSON.stringify(MENDED));
	// The last one only looks like an escape.
	for (const value of [{ text: "a 😀", none: null }, [], "", { path: String.raw`C:\ud83d\udc00` }])
		assert.equal(writeWellFormed(value), JSON.stringify(value));
});
