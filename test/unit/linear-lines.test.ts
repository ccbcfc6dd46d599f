import assert from "node:assert/strict";
import { test } from "node:test";
import { readIntent } from "../../agent-host/compaction/verbatim.ts";
import { findConflict } from "../../agent-host/patch/conflicts.ts";
import { toBytes } from "../../agent-host/patch/text-file.ts";
import { diffLines } from "../../agent-host/review/diff-lines.ts";
import { keepHunks, rejectHunks } from "../../agent-host/review/hunks.ts";
import { applyPatch } from "../support/apply-patch.ts";
import { growthOf, MOST_GROWTH } from "../support/linear.ts";
import { findHunks, followFile } from "../support/review-at-once.ts";

/** A file and the hunks of a patch of it. */
interface Patching {
	readonly file: readonly string[];
	readonly hunks: readonly string[];
}

const PATCHES: Readonly<Record<string, (lines: number) => Patching>> = {
	"a hunk that fits everywhere but for its last line": (lines) => ({
		file: repeat("a", lines),
		hunks: [["@@", ...repeat(" a", lines / 2), "-b", "+c"].join("\n")],
	}),
	"many hunks that match only if spaces are ignored": (lines) => ({
		file: repeat("a ", lines),
		hunks: repeat("@@\n a\n-a\n+b", lines / 4),
	}),
	"many hunks whose lines are in the file, but not together": (lines) => ({
		file: [...repeat("a", lines / 2), ...repeat("b", lines / 2)],
		hunks: repeat("@@\n a\n a\n-a\n+b", lines / 8),
	}),
	"many hunks at the end of the file": (lines) => ({
		file: repeat("a", lines),
		hunks: repeat("@@ a\n+b", lines / 4),
	}),
	"a file that repeats two lines": (lines) => ({
		file: repeat("a\nb", lines / 2),
		hunks: [["@@", ...repeat(" a\n b", lines / 8), "-a", "-a"].join("\n")],
	}),
	"a hunk that is like every part of the file but for its first line": (lines) => ({
		file: repeat("a", lines),
		hunks: [["@@", " b", ...repeat(" a", lines / 2), "-a"].join("\n")],
	}),
	"hunks that begin like every part of the file": (lines) => ({
		file: [...repeat("a", lines - 4), "b", "c", "b", "d"],
		hunks: [
			["@@", ...repeat(" a", lines / 4), "-b", "+1"].join("\n"),
			["@@", ...repeat(" a", lines / 8), "-d"].join("\n"),
		],
	}),
	"context lines that are not in the file": (lines) => ({
		file: repeat("a", lines),
		hunks: repeat("@@ x\n-a", lines / 4),
	}),
};

for (const [kind, make] of Object.entries(PATCHES)) {
	test(`a patch takes time in proportion to its file: ${kind}`, () => {
		const growth = growthOf(
			(chars) => {
				const { file, hunks } = make(chars / 4);
				const patch = `*** Begin Patch\n*** Update File: f\n${hunks.join("\n")}\n*** End Patch`;
				return { before: new Map([["f", toBytes(`${file.join("\n")}\n`)]]), patch };
			},
			({ before, patch }) => applyPatch(before, patch),
		);
		assert.ok(growth < MOST_GROWTH, `${growth.toFixed(1)} times as long`);
	});
}

const TEXTS: Readonly<Record<string, (lines: number) => readonly [readonly string[], readonly string[]]>> = {
	"equal lines, one of them moved": (lines) => {
		const all = repeat("a\n", lines);
		return [
			["x\n", ...all],
			[...all, "x\n"],
		];
	},
	"no line in common": (lines) => [repeat("a\n", lines), repeat("b\n", lines)],
	"every line another, in both": (lines) => [numbered("a", lines), numbered("b", lines)],
	"every second line another": (lines) => [repeat("a\nb\n", lines), repeat("a\nc\n", lines)],
	"two lines in turn, out of step": (lines) => [repeat("a\nb\n", lines), ["b\n", ...repeat("a\nb\n", lines)]],
	"the same lines the other way round": (lines) => [numbered("a", lines), numbered("a", lines).reverse()],
};

for (const [kind, make] of Object.entries(TEXTS)) {
	test(`a diff and what follows from it take time linear in its texts: ${kind}`, () => {
		const growth = growthOf((chars) => make(chars), compare);
		assert.ok(growth < MOST_GROWTH, `${growth.toFixed(1)} times as long`);
	});
}

function compare([before, after]: readonly [readonly string[], readonly string[]]): void {
	diffLines(before, after);
	const { base, edited } = followFile({ base: before, seen: after }, [{ before: after, after: before }], after, "any");
	findHunks("f", base, after, { ends: "any", edited });
}

test("a diff of 100,000 lines with one moved is exact: the limit on its work is not met", () => {
	const all = repeat("a\n", 100_000);
	assert.deepEqual(diffLines(["x\n", ...all], [...all, "x\n"]), [
		{ from: 0, to: 1, at: 0, until: 0 },
		{ from: 100_001, to: 100_001, at: 100_000, until: 100_001 },
	]);
});

test("files of half a million lines can be kept and rejected", () => {
	const before = numbered("a", 500_000);
	const after = before.with(250_000, "x\n");
	const hunks = findHunks("f", before, after, { ends: "exact" });
	assert.equal(hunks.length, 1);
	assert.deepEqual(rejectHunks(before, after, hunks), before);
	assert.deepEqual(keepHunks(before, after, hunks), after);
	assert.deepEqual(followFile({ base: before, seen: before }, [{ before, after }], after, "exact").base, before);
});

test("paths of a patch are compared in time in proportion to their characters", () => {
	const growth = growthOf(
		(chars) =>
			Array.from({ length: chars / 4_000 }, (_, index) => {
				const resolved = `/${index}${"/a".repeat(2_000)}`;
				return { path: resolved, operation: "add", resolved, identity: undefined };
			}),
		findConflict,
	);
	assert.ok(growth < MOST_GROWTH, `${growth.toFixed(1)} times as long`);
	const long = growthOf(
		(chars) => [{ path: "a", operation: "add", resolved: `/${"a/".repeat(chars / 2)}b`, identity: undefined }],
		findConflict,
	);
	assert.ok(long < MOST_GROWTH, `${long.toFixed(1)} times as long`);
});

test("the quotes of a summary are found in time in proportion to it, however many ends it has", () => {
	const growth = growthOf(
		(chars) => `<VERBATIM_REQUEST_START>\n${"<VERBATIM_REQUEST_END>\n".repeat(chars / 23)}`,
		(text) => readIntent(text, ["a", "b\nc"]),
	);
	assert.ok(growth < MOST_GROWTH, `${growth.toFixed(1)} times as long`);
});

function repeat(lines: string, times: number): string[] {
	return Array.from({ length: Math.floor(times) }, () => lines).flatMap((piece) =>
		piece.endsWith("\n") ? piece.split(/(?<=\n)/) : [piece],
	);
}

function numbered(word: string, lines: number): string[] {
	return Array.from({ length: Math.floor(lines) }, (_, index) => `${word}${index}\n`);
}
