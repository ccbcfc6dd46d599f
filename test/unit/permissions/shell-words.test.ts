import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { shellWords } from "../../../agent-host/permissions/command-lines/shell-words.ts";
import { BYPASSES } from "./bypasses.ts";
import { listenToShell, STUBS } from "./listen-to-shell.ts";

const FULL = process.env.VITRINE_FULL === "1";

test("a plain command is split into its words", () => {
	assert.deepEqual(shellWords("git status --short"), ["git", "status", "--short"]);
	assert.deepEqual(shellWords(`rg 'a b' "c d" e'f'"g"`), ["rg", "a b", "c d", "efg"]);
	assert.deepEqual(shellWords("  ls\t-la  "), ["ls", "-la"]);
	assert.deepEqual(shellWords("printf '%s\\n' ''"), ["printf", "%s\\n", ""]);
	assert.deepEqual(shellWords("make CC=gcc src/a.c"), ["make", "CC=gcc", "src/a.c"]);
});

test("no string that expands, redirects, assigns, chains or hides anything has words (S-27)", () => {
	assert.ok(BYPASSES.length >= 400, String(BYPASSES.length));
	assert.equal(new Set(BYPASSES).size, BYPASSES.length);
	assert.deepEqual(
		BYPASSES.filter((text) => shellWords(text) !== undefined),
		[],
	);
});

test("a command that starts with an assignment, a shell word or a job has no words (S-30)", () => {
	for (const text of [
		"LD_PRELOAD=./x ls",
		"GIT_PAGER=x git log",
		"A+=b ls",
		"if ls",
		"time ls",
		"%1",
		"eval x",
		"'eval' x",
		". x",
		": x",
		"=ls",
	]) {
		assert.equal(shellWords(text), undefined, text);
	}
});

const aPiece = fc.oneof(
	fc.constantFrom(
		"a",
		"-x",
		"src/a.ts",
		"k=v",
		"a:b",
		"@scope/x",
		"100%",
		"a,b",
		"+x",
		"..",
		"*",
		"?",
		"~",
		"$A",
		"`a`",
		";",
		"&",
		"|",
		">",
		"<",
		"(",
		")",
		"{a,b}",
		"\\",
		"#",
		"!",
		"\n",
		"$(a)",
		"[x]",
		"ü",
	),
	fc.string({ maxLength: 5 }).map((text) => `'${text.replaceAll("'", "")}'`),
	fc.string({ maxLength: 5 }).map((text) => `"${text.replaceAll('"', "")}"`),
	fc.string({ maxLength: 3 }),
);
const aCommand = fc
	.tuple(fc.constantFrom(...STUBS), fc.array(fc.tuple(fc.constantFrom("", " ", "  ", "\t"), aPiece), { maxLength: 6 }))
	.map(([name, pieces]) => name + pieces.map(([blank, piece]) => blank + piece).join(""));

test("whatever has words is run by bash with exactly these words (differential oracle, S-27)", (context) => {
	const strings = fc.sample(aCommand, { numRuns: FULL ? 100_000 : 10_000, seed: 27 });
	const plain = strings.flatMap((text) => {
		const words = shellWords(text);
		return words !== undefined && STUBS.includes(words[0] ?? "") ? [{ text, words }] : [];
	});
	const tried = plain.slice(0, FULL ? 3_000 : 250);
	const seen = listenToShell(
		context,
		tried.map(({ text }) => text),
	);
	for (const [index, { text, words }] of tried.entries()) {
		assert.equal(seen[index], `${words.map((word) => `${word}\0`).join("")}\n`, text);
	}
	context.diagnostic(`${plain.length} of ${strings.length} strings were plain; ${tried.length} compared with bash`);
	assert.ok(tried.length >= 200);
});
