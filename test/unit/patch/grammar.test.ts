import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePatch } from "../../../agent-host/patch/grammar.ts";

const UPDATE = ["*** Update File: a.txt", "@@ class A", " one", "-two", "+2", "", "*** End of File"];
const UPDATE_PARSED = {
	kind: "update",
	path: "a.txt",
	hunks: [
		{
			context: ["class A"],
			isNumbered: false,
			lines: [
				{ kind: "keep", text: "one" },
				{ kind: "remove", text: "two" },
				{ kind: "add", text: "2" },
				{ kind: "keep", text: "" },
			],
			atEnd: true,
		},
	],
};

function patch(...lines: readonly string[]): string {
	return ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
}

function operations(text: string): unknown {
	const parsed = parsePatch(text);
	return parsed.ok ? parsed.patch.operations : parsed.reason;
}

test("every part of the grammar is understood", () => {
	const text = patch(
		"*** Environment ID: main",
		"*** Add File: new.txt",
		"+one",
		"+",
		"*** Delete File: old.txt",
		"*** Update File: b.txt",
		"*** Move to: c/b.txt",
		" first",
		"+second",
		...UPDATE,
	);
	assert.deepEqual(operations(text), [
		{ kind: "add", path: "new.txt", lines: ["one", ""] },
		{ kind: "delete", path: "old.txt" },
		{
			kind: "update",
			path: "b.txt",
			movedTo: "c/b.txt",
			hunks: [
				{
					context: [],
					isNumbered: false,
					lines: [
						{ kind: "keep", text: "first" },
						{ kind: "add", text: "second" },
					],
					atEnd: false,
				},
			],
		},
		UPDATE_PARSED,
	]);
});

test("space around the patch and its marks, carriage returns, a heredoc and a code block change nothing", () => {
	const plain = patch(...UPDATE);
	const variants = [
		`\n\n  ${plain}  \n\n`,
		plain.replaceAll("\n", "\r\n"),
		`<<EOF\n${plain}\nEOF`,
		`<<'PATCH'\n${plain}\nPATCH\n`,
		`<<"EOF"\n${plain}\nEOF`,
		`apply_patch <<'EOF'\n${plain}\nEOF`,
		`\`\`\`\n${plain}\n\`\`\``,
		`\`\`\`diff\n${plain}\n\`\`\`\n`,
		patch(`  ${UPDATE[0]}  `, ...UPDATE.slice(1)),
		patch("", ...UPDATE, ""),
	];
	for (const variant of variants) assert.deepEqual(operations(variant), [UPDATE_PARSED], variant);
});

test("lines above a hunk may be given one below the other, and line numbers count for nothing", () => {
	const text = patch("*** Update File: a.txt", "@@ class A", "@@ \tf() {", "-one", "@@ -8,2 +8 @@ class A", "-two");
	assert.deepEqual(operations(text), [
		{
			kind: "update",
			path: "a.txt",
			hunks: [
				{
					context: ["class A", "\tf() {"],
					isNumbered: false,
					lines: [{ kind: "remove", text: "one" }],
					atEnd: false,
				},
				{ context: [], isNumbered: true, lines: [{ kind: "remove", text: "two" }], atEnd: false },
			],
		},
	]);
});

test("an error is reported with the line of the patch", () => {
	const cases: readonly (readonly [string, RegExp])[] = [
		["", /first line .* Begin Patch/],
		["*** Begin Patch", /last line .* End Patch/],
		["*** Update File: a\n@@\n-a\n+b", /first line .* Begin Patch/],
		[`${patch(...UPDATE)}\nmore`, /last line .* End Patch/],
		[patch(), /changes no file/],
		[patch("*** Frobnicate File: a"), /^Line 2 of the patch: expected the header/],
		[patch("*** Update File: a"), /^Line 3 of the patch: an update has no hunks/],
		[patch("*** Update File: a", "*** Move to: b"), /an update has no hunks/],
		[patch("*** Update File: a", "@@", "@@", "-b"), /^Line 4 .*no lines/],
		[patch("*** Update File: a", "@@"), /no lines/],
		[patch("*** Update File: a", "@@ b", "@@", "-c"), /^Line 4 .*no lines/],
		[patch("*** Update File: a", "@@ b", "@@ c"), /^Line 5 .*no lines/],
		[`\`\`\`\n${patch(...UPDATE)}`, /first line .* Begin Patch/],
		[patch("*** Update File: a", "@@", "x"), /starts with a space, \+ or -/],
		[patch("*** Update File: a", "@@", "-x", "*** End of File", "+y"), /expected "@@"/],
		[patch("*** Add File: a", "x"), /^Line 3 of the patch: a line of a new file starts with \+, but this is "x"/],
		[patch("*** Add File: a", "", "+x"), /expected the header/],
		[patch("*** Add File:"), /has no file path/],
		[patch("*** Environment ID: a", "*** Environment ID: b", "*** Delete File: a"), /twice/],
		[patch("*** Environment ID: ", "*** Delete File: a"), /no name/],
		[patch("*** Add File: a", "+\uD800"), /unpaired surrogate/],
	];
	for (const [text, reason] of cases) assert.match(String(operations(text)), reason, text);
});

test("a padded end mark inside an update ends the patch only as its last line", () => {
	const text = patch("*** Update File: a", "@@", " *** End Patch", "-x", "+y");
	assert.deepEqual(operations(text), [
		{
			kind: "update",
			path: "a",
			hunks: [
				{
					context: [],
					isNumbered: false,
					lines: [
						{ kind: "keep", text: "*** End Patch" },
						{ kind: "remove", text: "x" },
						{ kind: "add", text: "y" },
					],
					atEnd: false,
				},
			],
		},
	]);
});

test("no text makes the parser throw", () => {
	const line = fc.oneof(
		fc.constantFrom(
			...UPDATE,
			"*** Begin Patch",
			"*** End Patch",
			"<<EOF",
			"EOF",
			"```",
			"@@ -1 +1 @@",
			"*** Move to: b",
		),
		fc.string({ unit: "binary" }),
	);
	fc.assert(
		fc.property(fc.array(line), (lines) => {
			parsePatch(lines.join("\n"));
			parsePatch(patch(...lines));
		}),
	);
});
