import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createOutput, readableText } from "../../../agent-host/sandbox/command/command-output.ts";

test("output within the limit is kept whole, however it arrives", () => {
	fc.assert(
		fc.property(fc.array(fc.string({ maxLength: 20, unit: "grapheme-ascii" }), { maxLength: 10 }), (parts) => {
			const output = createOutput(1_000);
			for (const part of parts) output.push(Buffer.from(part));
			const text = parts.join("");
			assert.deepEqual(output.read(), { text, bytes: Buffer.byteLength(text), dropped: 0 });
		}),
	);
});

test("beyond the limit the beginning and the end are kept, with the number of characters left out (R-44)", () => {
	fc.assert(
		fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 40 }), (sizes) => {
			const output = createOutput(100);
			const all = Buffer.concat(sizes.map((size, index) => Buffer.alloc(size, 97 + (index % 26))));
			let at = 0;
			for (const size of sizes) {
				output.push(all.subarray(at, at + size));
				at += size;
			}
			const { text, bytes, dropped } = output.read();
			assert.equal(bytes, all.length);
			assert.equal(dropped, Math.max(0, all.length - 100));
			if (dropped > 0) {
				assert.ok(text.startsWith(all.toString("utf8", 0, 50)));
				assert.ok(text.endsWith(all.toString("utf8", all.length - 50)));
				assert.ok(text.includes(`[… ${dropped} bytes omitted …]`));
			}
		}),
	);
});

test("a hundred megabytes take no more memory than the limit", () => {
	const output = createOutput(1_000_000);
	const chunk = Buffer.alloc(65_536, "x");
	const before = process.memoryUsage().arrayBuffers;
	for (let index = 0; index < 1_600; index += 1) output.push(chunk);
	assert.ok(process.memoryUsage().arrayBuffers - before < 20_000_000);
	assert.equal(output.read().dropped, 1_600 * 65_536 - 1_000_000);
});

test("escape sequences are removed, a progress line shows its last state, and invalid characters are replaced (R-45)", () => {
	const text = readableText(Buffer.from("\u001b[31mred\u001b[0m\r\n10%\r50%\r100%\nbell\u0007\n"));
	assert.equal(text, "red\n100%\nbell\ufffd\n");
	assert.equal(readableText(Buffer.from([0x61, 0xff, 0x62])), "a\ufffdb");
});

test("output that is mostly not text is described", () => {
	assert.equal(readableText(Buffer.alloc(5_000)), "[5000 bytes of binary data]");
});

test("a long line without a break is read in no time", () => {
	const began = process.cpuUsage();
	readableText(Buffer.alloc(1_000_000, "a\r"));
	readableText(Buffer.alloc(1_000_000, "\u001b["));
	// Time of the processor: others may use this machine, too.
	assert.ok(process.cpuUsage(began).user < 2_000_000);
});
