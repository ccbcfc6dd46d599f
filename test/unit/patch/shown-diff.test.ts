import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { toWholeFileChange } from "../../../agent-host/patch/change-set.ts";
import { showDiff } from "../../../agent-host/tools/show-diff.ts";
import { escapeLookalikes } from "../../../media/model/words/escape-lookalikes.ts";
import { applyPatch } from "../../support/apply-patch.ts";

/** Everything that is easily lost on the way to a card: line ends of all kinds, none, marks and empty lines. */
const PARTS = [
	"a",
	"b",
	" ",
	"\t",
	"\n",
	"\n\n",
	"\r\n",
	"\r",
	"\uFEFF",
	"\u2028",
	"\u0085",
	"\\ No newline",
	"-",
	"+",
	"@@",
];
const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }).map((parts) => parts.join(""));

/** What the card of an approval draws, as its text. */
function draw(
	before: string | undefined,
	patch: string,
): { readonly drawn: string; readonly after: string } | undefined {
	const files = new Map(before === undefined ? [] : [["f", Buffer.from(before)]]);
	const outcome = applyPatch(files, `*** Begin Patch\n${patch}\n*** End Patch`);
	if (!outcome.ok) return undefined;
	const shown = showDiff(outcome.changes.map((change) => toWholeFileChange(change, () => "")));
	const drawn = escapeLookalikes(`${shown}\n`, "shown").map((piece) => `${piece.kind} ${piece.text}`);
	return { drawn: drawn.join("|"), after: Buffer.from(outcome.after.get("f") ?? "").toString() };
}

const lines = (sign: string, content: string) => content.split("\n").map((line) => `${sign}${line}`);

test("two new files look the same only if they are the same, byte for byte", () => {
	fc.assert(
		fc.property(text, text, (one, other) => {
			const [a, b] = [one, other].map((content) =>
				draw(undefined, ["*** Add File: f", ...lines("+", content)].join("\n")),
			);
			assert.equal(a?.drawn === b?.drawn, a?.after === b?.after, JSON.stringify([a, b]));
		}),
		{ numRuns: 3_000 },
	);
});

for (const [what, patch] of Object.entries({ deleted: "*** Delete File: f", replaced: "*** Add File: f\n+x" })) {
	test(`two files that are ${what} look the same only if they are the same, byte for byte`, () => {
		fc.assert(
			fc.property(text, text, (one, other) => {
				if (one === "" || other === "") return;
				const [a, b] = [one, other].map((content) => draw(content, patch));
				assert.equal(a?.drawn === b?.drawn, one === other, JSON.stringify([one, other, a]));
			}),
			{ numRuns: 3_000 },
		);
	});
}

test("two changes of one file look the same only if they leave the same bytes", () => {
	let compared = 0;
	fc.assert(
		fc.property(text, text, text, fc.boolean(), (start, one, other, isEnd) => {
			const head = ["*** Update File: f", "@@", ...(isEnd ? [] : ["-old"])];
			const [a, b] = [one, other].map((content) => draw(`old\n${start}`, [...head, ...lines("+", content)].join("\n")));
			if (a === undefined || b === undefined) return;
			compared += 1;
			assert.equal(a.drawn === b.drawn, a.after === b.after, JSON.stringify([start, a, b]));
		}),
		{ numRuns: 3_000 },
	);
	assert.ok(compared > 1_000, `${compared} pairs`);
});

test("a file that is replaced shows its lines once, and so does one that a moved file replaces", () => {
	const files = new Map([
		["f", Buffer.from("old\n")],
		["g", Buffer.from("gone\n")],
	]);
	const show = (patch: string) => {
		const outcome = applyPatch(files, `*** Begin Patch\n${patch}\n*** End Patch`);
		assert.ok(outcome.ok);
		return showDiff(outcome.changes.map((change) => toWholeFileChange(change, () => ""))).split("\n");
	};
	const signed = (shown: readonly string[]) => shown.filter((line) => /^[+-]/.test(line));
	assert.deepEqual(signed(show("*** Add File: f\n+new")), ["-old", "+new"]);
	assert.deepEqual(signed(show("*** Update File: f\n*** Move to: g\n@@\n-old\n+new")), ["-gone", "-old", "+new"]);
});

test("line ends, missing line ends and a byte-order mark are visible", () => {
	assert.equal(draw("a\r\nb", "*** Delete File: f")?.drawn.includes("\\u{D}"), true);
	assert.match(draw("a\nb", "*** Delete File: f")?.drawn ?? "", /-b↵\n\\ No newline at end of file/);
	assert.match(
		draw("a\nb", "*** Update File: f\n@@\n+c")?.drawn ?? "",
		/-b↵\n\\ No newline at end of file↵\n\+b↵\n\+c/,
	);
	assert.match(draw(undefined, "*** Add File: f\n+\uFEFFa")?.drawn ?? "", /\\u\{FEFF\}/);
});
