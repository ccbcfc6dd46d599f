import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyEdits, findPosition, invertEdits } from "../../../agent-host/patch/edit.ts";
import { splitText } from "../../../agent-host/patch/text-file.ts";
import { applyPatch } from "../../support/apply-patch.ts";

const RUNS = process.env.VITRINE_FULL === "1" ? 50_000 : 2_000;

/** What happens to one line of a file, and what is put before it. */
interface LineFate {
	readonly text: string;
	readonly end: string;
	readonly fate: "keep" | "remove";
	readonly insert: readonly string[];
}

interface Case {
	readonly lines: readonly LineFate[];
	readonly mark: string;
	readonly isEnded: boolean;
	readonly appended: readonly string[];
	/** Lines of context around each change; all of them when it is large. */
	readonly around: number;
}

// Each line is unlike any other, so that there is one right place for every hunk.
const word = fc.string({ unit: fc.constantFrom("a", " ", "\t", "é", "👍", "\0", "@", "+", "-", "*"), maxLength: 6 });
const anEnd = fc.constantFrom("\n", "\n", "\r\n", "\r");
const aCase: fc.Arbitrary<Case> = fc.record({
	lines: fc
		.array(
			fc.record({
				text: word,
				end: anEnd,
				fate: fc.constantFrom("keep", "keep", "keep", "remove"),
				insert: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(word, { maxLength: 3 })),
			}),
			{ minLength: 1, maxLength: 30 },
		)
		.map((lines) => lines.map((line, index) => ({ ...line, text: `${line.text}#${index}` }) as LineFate)),
	mark: fc.constantFrom("", "\uFEFF"),
	isEnded: fc.boolean(),
	appended: fc.oneof(fc.constant([]), fc.array(word, { maxLength: 2 })),
	around: fc.constantFrom(1, 2, 100),
});

function beforeOf({ lines, mark, isEnded }: Case): string {
	const last = lines.length - 1;
	return mark + lines.map(({ text, end }, index) => text + (index === last && !isEnded ? "" : end)).join("");
}

/** Said another way than the code does: line by line, with no offsets. */
function afterOf({ lines, mark, isEnded, appended }: Case): string {
	const firstEnd = lines.length === 1 && !isEnded ? "\n" : (lines[0]?.end ?? "\n");
	const last = lines.length - 1;
	const out = lines.map(({ text, end, fate, insert }, index) => {
		const isOpen = index === last && !isEnded;
		const kept = fate === "remove" ? "" : text + (isOpen ? (appended.length > 0 ? firstEnd : "") : end);
		return insert.map((line) => line + firstEnd).join("") + kept;
	});
	return mark + out.join("") + appended.map((line) => line + firstEnd).join("");
}

/** The changes as hunks with a little context, written as a model would. */
function patchOf({ lines, appended, around }: Case): string | undefined {
	const entries = lines.flatMap(({ text, fate, insert }) => [
		...insert.map((line) => ({ mark: "+", text: line })),
		{ mark: fate === "keep" ? " " : "-", text },
	]);
	entries.push(...appended.map((line) => ({ mark: "+", text: line })));
	const changed = entries.flatMap(({ mark }, index) => (mark === " " ? [] : [index]));
	if (changed.length === 0) return undefined;
	const shown = entries.map((_, index) => changed.some((at) => Math.abs(at - index) <= around));
	const body: string[] = [];
	for (const [index, { mark, text }] of entries.entries()) {
		if (!shown[index]) continue;
		if (!shown[index - 1]) body.push("@@");
		body.push(mark + text);
	}
	return ["*** Begin Patch", "*** Update File: f", ...body, "*** End Patch"].join("\n");
}

test(`a patch changes a file as a simple model of lines predicts, for ${RUNS} random files`, () => {
	fc.assert(
		fc.property(aCase, (one) => {
			const patch = patchOf(one);
			if (patch === undefined) return;
			const before = Buffer.from(beforeOf(one));
			const outcome = applyPatch(new Map([["f", before]]), patch);
			assert.ok(outcome.ok, outcome.ok ? "" : `${outcome.reason}\n${patch}`);
			assert.equal(Buffer.from(outcome.after.get("f") ?? []).toString(), afterOf(one), patch);
		}),
		{ numRuns: RUNS },
	);
});

test("edits and their inverse lead there and back, also counted in lines and characters", () => {
	fc.assert(
		fc.property(aCase, (one) => {
			const patch = patchOf({ ...one, mark: "" });
			if (patch === undefined) return;
			const before = beforeOf({ ...one, mark: "" });
			const outcome = applyPatch(new Map([["f", Buffer.from(before)]]), patch);
			assert.ok(outcome.ok);
			const edits = outcome.changes[0]?.edits ?? [];
			const after = applyEdits(before, edits);
			const inverse = invertEdits(before, edits);
			assert.equal(applyEdits(after, inverse), before);
			const file = splitText(after);
			assert.ok(!("refusal" in file));
			for (const { start, end } of inverse) {
				for (const offset of [start, end]) {
					const { line, character } = findPosition(file, offset);
					assert.equal(offsetOf(after, line, character), offset);
				}
			}
		}),
	);
});

/** As an editor finds a position: by its own counting of lines. */
function offsetOf(text: string, line: number, character: number): number {
	const ends = [...text.matchAll(/\r\n|\n|\r/g)].map((match) => match.index + match[0].length);
	return (line === 0 ? 0 : (ends[line - 1] ?? Number.NaN)) + character;
}

test("bytes that are not text are never changed", () => {
	const noise = fc.uint8Array({ minLength: 1, maxLength: 60 });
	fc.assert(
		fc.property(noise, (bytes) => {
			const before = Buffer.concat([Buffer.from("first\n"), bytes]);
			const outcome = applyPatch(
				new Map([["f", before]]),
				"*** Begin Patch\n*** Update File: f\n@@\n-first\n+1st\n*** End Patch",
			);
			const isText = Buffer.from(before.toString("utf8")).equals(before);
			assert.equal(outcome.ok, isText);
			if (outcome.ok) assert.deepEqual(Buffer.from(outcome.after.get("f") ?? []).subarray(4), Buffer.from(bytes));
		}),
	);
});
