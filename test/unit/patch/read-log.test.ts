import assert from "node:assert/strict";
import { test } from "node:test";
import { createReadLog } from "../../../agent-host/patch/read-log.ts";
import { listLines, splitText } from "../../../agent-host/patch/text-file.ts";
import { createRandom } from "../../support/crash.ts";

const ENDS = ["\n", "\r\n", "\r"];

test("a changed line is reported with its number, whatever the line ends", () => {
	const random = createRandom(7);
	const below = (count: number) => Math.floor(random() * count);
	const pick = (from: readonly string[]) => from[below(from.length)] ?? "";
	for (let round = 0; round < 300; round += 1) {
		const lines = Array.from({ length: 1 + below(12) }, (_, index) => pick(["", " ", `line ${index}`, "é→"]));
		const text = pick(["", "\uFEFF"]) + lines.map((line) => line + pick(ENDS)).join("");
		const file = splitText(text);
		assert(!("refusal" in file));
		const before = listLines(file);
		const at = below(before.length);
		const changed = before.map((line, index) => `${line}${index === at ? "!" : ""}\n`).join("");
		const reads = createReadLog();
		reads.recordRead("a.ts", text);
		assert.equal(reads.changedSince("a.ts", text), undefined);
		const told = reads.changedSince("a.ts", changed) ?? "";
		assert.deepEqual(told.split("\n").slice(1), [`${at + 1}: ${before[at]}!`], JSON.stringify(text));
	}
});

test("a text and its bytes are the same to it, and of both the changed lines are told", () => {
	const text = "one\nzwölf\n三\n";
	for (const [read, now] of [
		[text, Buffer.from(text)],
		[Buffer.from(text), text],
	] as const) {
		const reads = createReadLog();
		reads.recordRead("a.ts", read);
		assert.equal(reads.changedSince("a.ts", now), undefined);
		const told = reads.changedSince("a.ts", Buffer.from(text.replace("zwölf", "elf"))) ?? "";
		assert.deepEqual(told.split("\n").slice(1), ["2: elf"]);
	}
});

test("other line ends, a missing final one or a byte-order mark is no change, but a missing line is", () => {
	const reads = createReadLog();
	reads.recordRead("a.ts", "one\ntwo\n");
	assert.equal(reads.changedSince("a.ts", "\uFEFFone\r\ntwo\r"), undefined);
	assert.equal(reads.changedSince("a.ts", "one\ntwo"), undefined);
	assert.match(reads.changedSince("a.ts", "one\n") ?? "", /lines after line 1 were removed/);
});

test("a file with too many lines or too much text is compared only as a whole", () => {
	for (const [long, name] of [
		["x\n".repeat(100_001), "many.ts"],
		[`${"x".repeat(100)}\n`.repeat(10_000), "large.ts"],
	] as const) {
		const reads = createReadLog();
		reads.recordRead(name, long);
		assert.equal(reads.changedSince(name, long), undefined);
		assert.equal(reads.changedSince(name, `${long}y\n`), "changed since you read it. Read it again.");
	}
});
