import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "../../support/apply-patch.ts";

/** The text of a.txt after an update, or why it was refused. */
function update(before: string, ...lines: readonly string[]): string {
	return run({ "a.txt": before }, "*** Update File: a.txt", ...lines)["a.txt"] ?? "";
}

function run(files: Readonly<Record<string, string>>, ...lines: readonly string[]): Readonly<Record<string, string>> {
	const before = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text, "latin1")]));
	const outcome = applyPatch(before, ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"));
	if (!outcome.ok) return { "a.txt": outcome.reason, reason: outcome.reason };
	return Object.fromEntries([...outcome.after].map(([path, bytes]) => [path, Buffer.from(bytes).toString("latin1")]));
}

test("a later exact match wins over an earlier lenient one", () => {
	assert.equal(update("  x\nx \nx\n", "@@", "-x", "+y"), "  x\nx \ny\n");
	assert.equal(update("  x\nx \n", "@@", "-x", "+y"), "  x\ny\n");
	assert.equal(update("  x\n", "@@", "-x", "+y"), "y\n");
});

test("dashes, quotes and odd spaces match their plain forms, and context keeps the file's own bytes", () => {
	const before = Buffer.from("it\u2019s \u201Ca\u201D\u00A0\u2014 b\nold\n").toString("latin1");
	assert.equal(update(before, "@@", ` it's "a" - b`, "-old", "+new"), before.replace("old", "new"));
});

test("hunks are looked for below the one before, and below their context line", () => {
	const before = "f:\n x\ng:\n x\nh:\n x\n";
	assert.equal(update(before, "@@ g:", "- x", "+ y"), "f:\n x\ng:\n y\nh:\n x\n");
	assert.equal(update(before, "@@", "- x", "+ 1", "@@", "- x", "+ 2"), "f:\n 1\ng:\n 2\nh:\n x\n");
	assert.match(update(before, "@@ h:", "- x", "+ y", "@@ f:", "- x", "+ y"), /a\.txt, line 7: expected "f:"/);
});

test("each line above a hunk is looked for below the one before", () => {
	const before = "class A\n f:\n  x\nclass B\n f:\n  x\n";
	assert.equal(update(before, "@@ class B", "@@  f:", "-  x", "+  y"), before.replace(/x\n$/, "y\n"));
	assert.match(update(before, "@@ class B", "@@ class A", "-  x"), /line 5: expected "class A"/);
});

test("a hunk with line numbers, as other formats have them, applies where its lines are, if that is one place", () => {
	const before = "a\nx\nb\nx\nc\n";
	assert.equal(update(before, "@@ -90,2 +90,2 @@", " b", "-x", "+y"), "a\nx\nb\ny\nc\n");
	assert.equal(update(before, "@@ -4 +4 @@ def f():", "-x", "+y", " c"), "a\nx\nb\ny\nc\n");
	assert.equal(update(before, "@@ -1 +1 @@", "-a", "+A", "@@ -4 +4 @@", " b", "-x", "+y"), "A\nx\nb\ny\nc\n");
	assert.equal(update("", "@@ -0,0 +1 @@", "+a"), "a\n");
	const repeats = update(before, "@@ -4 +4 @@", "-x", "+y");
	assert.match(repeats, /^a\.txt, line 2: the hunk also fits at line 4, .* write a line above the hunk/);
	assert.match(
		update(before, "@@ -4,0 +5 @@", "+y"),
		/^a\.txt, a hunk of new lines only: line numbers do not place it\. Keep the line above them\.$/,
	);
});

test("an end-of-file hunk matches only the last lines", () => {
	assert.equal(update("x\ny\nx\n", "@@", "-x", "+z", "*** End of File"), "x\ny\nz\n");
	assert.match(update("x\ny\n", "@@", "-x", "+z", "*** End of File"), /line 1: expected the end of the file after "x"/);
});

test("a hunk without old lines adds at the end, once its context line exists", () => {
	assert.equal(update("a\nb\n", "@@ a", "+c"), "a\nb\nc\n");
	assert.equal(update("a\nb", "@@", "+c", "@@", "+d"), "a\nb\nc\nd\n");
	assert.equal(update("", "@@", "+c"), "c\n");
	assert.match(update("a\n", "@@ z", "+c"), /expected "z"/);
});

test("an empty line at the end of a hunk that the file does not have is left out", () => {
	assert.equal(update("a\nb\n", "@@", "-a", "+c", ""), "c\nb\n");
	assert.equal(update("a\n", "@@", "-a", "-", "+c", "+"), "c\n");
});

test("line ends are kept, and new lines end as the file's first does", () => {
	assert.equal(update("a\r\nb\nc\r\n", "@@", " a", "+x", " b", "-c", "+C"), "a\r\nx\r\nb\nC\r\n");
	assert.equal(update("a\rb\rc", "@@", " b", "+x"), "a\rb\rx\rc");
});

test("a last line without an end stays so unless the patch rewrites it or adds something after it", () => {
	assert.equal(update("a\nb", "@@", "-a", "+A"), "A\nb");
	assert.equal(update("a\nb", "@@", "-a", "+A", " b"), "A\nb");
	assert.equal(update("a\nb", "@@", "-b", "+B"), "a\nB\n");
	assert.equal(update("a\r\nb", "@@", " b", "+c"), "a\r\nb\r\nc\r\n");
	assert.equal(update("a\nb", "@@", " a", "-b"), "a\n");
});

test("a byte-order mark does not prevent a match, and stays", () => {
	assert.equal(update("\xEF\xBB\xBFa\nb\n", "@@", "-a", "+A"), "\xEF\xBB\xBFA\nb\n");
});

test("a file that cannot be written back byte for byte is refused", () => {
	assert.match(update("a\n\xFF\n", "@@", "-a", "+b"), /a\.txt is not UTF-8 text/);
	assert.match(update("\xFF\xFEa\0\n\0", "@@", "-a", "+b"), /a\.txt is not UTF-8 text/);
	assert.equal(update("a\n\0\n", "@@", "-a", "+b"), "b\n\0\n");
});

test("a mismatch says file, line, expected and found", () => {
	assert.equal(update("a\nb\nc\n", "@@", " a", " b", "-x", "+y"), 'a.txt, line 3: expected "x", found "c".');
	assert.equal(
		update("a\nb\n", "@@", "-x", "+y"),
		'a.txt, line 1: expected "x", found "a"; no similar line in the file.',
	);
	assert.match(update("a\n", "@@", " a", "-b"), /line 2: expected "b", found the end of the file/);
});

test("operations that meet in one file refuse the whole patch, with both named", () => {
	const files = { "a.txt": "a\n", "b.txt": "b\n" };
	const [hunk, other] = [
		["@@", "-a", "+x"],
		["@@", "-b", "+x"],
	];
	const cases: readonly (readonly [readonly string[], RegExp])[] = [
		[["*** Add File: n", "+x", "*** Delete File: n"], /^n appears twice in the patch \(add, delete\)/],
		[["*** Update File: a.txt", ...hunk, "*** Update File: a.txt", ...hunk], /a\.txt appears twice in the patch/],
		[["*** Delete File: a.txt", "*** Update File: ./a.txt", ...hunk], /a\.txt and \.\/a\.txt are the same file/],
		[["*** Update File: a.txt", "*** Move to: b.txt", ...hunk, "*** Update File: b.txt", ...other], /b\.txt .*twice/],
		[["*** Update File: a.txt", "*** Move to: a.txt", ...hunk], /twice/],
		[["*** Add File: n.txt", "+x", "*** Add File: N.TXT", "+y"], /n\.txt and N\.TXT are the same file/],
		[["*** Add File: n", "+x", "*** Add File: n/m", "+y"], /n cannot be a file and the folder of n\/m/],
	];
	for (const [lines, reason] of cases) assert.match(run(files, ...lines).reason ?? "applied", reason);
});

test("a path that is not plainly a file below the folder is refused", () => {
	const paths = ["../x", "a/../../x", "~/x", "~//x", "C:\\x", "..\\x", "\\\\host\\x", "//host/x", "file:///x"];
	const others = ["a\0b", "dir/", "dir/.", "x".repeat(256), `${"d/".repeat(2_500)}x`, "a\tb"];
	for (const path of [...paths, ...others]) {
		for (const lines of [
			[`*** Add File: ${path}`, "+x"],
			[`*** Delete File: ${path}`],
			[`*** Update File: ${path}`, "@@", "-a", "+b"],
			["*** Update File: a.txt", `*** Move to: ${path}`, "@@", "-a", "+b"],
		]) {
			assert.notEqual(run({ "a.txt": "a\n", "a/b": "" }, ...lines).reason, undefined, `${lines[0]} ${lines[1]}`);
		}
	}
});
