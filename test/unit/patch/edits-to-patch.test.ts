import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { editsToPatch, type PlacedEdit } from "../../../agent-host/patch/edits-to-patch.ts";
import { finish } from "../../../agent-host/patch/pieces.ts";
import { planPatch } from "../../../agent-host/patch/plan-patch.ts";

/** The file after applying the patch made from the edits. */
function applied(text: string, edits: readonly PlacedEdit[]): string | undefined {
	const made = editsToPatch([{ path: "a", text, edits }]);
	if (!made.ok) return undefined;
	const bytes = new TextEncoder().encode(text);
	const plan = finish(planPatch(made.patch, () => ({ resolved: "/a", state: "file", bytes })));
	return plan.ok ? new TextDecoder().decode(plan.changes[0]?.after) : undefined;
}

/** Puts `to` in the place of every `name` that `isMeant`. */
function replaceAll(lines: readonly string[], isMeant: (index: number) => boolean) {
	let index = 0;
	const edits: PlacedEdit[] = [];
	const text = lines.map((line, at) => {
		let shift = 0;
		let now = line;
		for (let from = line.indexOf("name"); from >= 0; from = line.indexOf("name", from + 4)) {
			if (!isMeant(index++)) continue;
			const end = { line: at, character: from + 4 };
			edits.push({ start: { line: at, character: from }, end, old: "name", text: "other" });
			now = `${now.slice(0, from + shift)}other${now.slice(from + shift + 4)}`;
			shift += 1;
		}
		return now;
	});
	return { edits, text };
}

test("edits become a patch that changes exactly them, also in lines that repeat", () => {
	const line = fc.constantFrom("name", "name name", "x", "", "  name(name);", "}");
	const file = fc.array(line, { minLength: 1, maxLength: 20 });
	fc.assert(
		fc.property(
			file,
			fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
			fc.constantFrom("\n", "\r\n"),
			(lines, meant, end) => {
				const { edits, text } = replaceAll(lines, (index) => meant[index] ?? false);
				fc.pre(edits.length > 0);
				const whole = (all: readonly string[]) => all.map((one) => one + end).join("");
				assert.equal(applied(whole(lines), edits.toReversed()), whole(text));
			},
		),
	);
});

test("a multi-line edit and an insertion of lines are applied as a whole", () => {
	const at = (line: number, character: number) => ({ line, character });
	const edits = [
		{ start: at(0, 1), end: at(1, 1), old: "a\r\nb", text: "-" },
		{ start: at(2, 0), end: at(2, 0), old: "", text: "new\nlines\n" },
	];
	assert.equal(applied("aa\r\nbb\r\ncc\r\n", edits), "a-b\r\nnew\r\nlines\r\ncc\r\n");
});

test("edits that are outdated, overlap or change nothing are refused", () => {
	const edit = (line: number, from: number, to: number, old: string, text = "z") => ({
		...{ start: { line, character: from }, end: { line, character: to }, old, text },
	});
	const reasonOf = (edits: readonly PlacedEdit[]) => {
		const made = editsToPatch([{ path: "a.ts", text: "one\ntwo\n", edits }]);
		return made.ok ? "" : made.reason;
	};
	const changed = "a.ts has changed meanwhile. Try again.";
	assert.equal(reasonOf([edit(0, 0, 3, "ONE")]), changed);
	assert.equal(reasonOf([edit(7, 0, 0, "")]), changed);
	assert.equal(reasonOf([edit(0, 0, 9, "one")]), changed);
	assert.equal(reasonOf([edit(0, 0, 2, "on"), edit(0, 1, 3, "ne")]), changed);
	assert.equal(reasonOf([edit(0, 0, 3, "one", "one")]), "It would change nothing.");
});
