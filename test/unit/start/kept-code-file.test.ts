import assert from "node:assert/strict";
import test from "node:test";
import { type KeptChunks, parseKeptChunks, renderKeptChunks } from "../../../agent-host/start/kept-code-file.ts";

const KEPT: KeptChunks = {
	afterTurn: true,
	chunks: new Map([
		["host-program.cjs", Buffer.from("\n{first}\n")],
		["host-empty.cjs", Buffer.alloc(0)],
		["host-chunk-A.cjs", Buffer.from([0, 255, 10, 13])],
	]),
};

test("kept code is read back as it was written", () => {
	assert.deepEqual(parseKeptChunks(renderKeptChunks(KEPT)), KEPT);
});

test("kept code that was truncated or changed anywhere is not used", () => {
	const file = renderKeptChunks(KEPT);
	for (let length = 0; length < file.length; length += 1) {
		assert.equal(parseKeptChunks(file.subarray(0, length)), undefined, `${length} bytes`);
	}
	for (let at = file.indexOf("\n") + 1; at < file.length; at += 1) {
		const changed = Buffer.from(file);
		changed[at] = (changed[at] ?? 0) ^ 1;
		assert.equal(parseKeptChunks(changed), undefined, `byte ${at}`);
	}
	assert.equal(parseKeptChunks(Buffer.from("null\n")), undefined);
});
