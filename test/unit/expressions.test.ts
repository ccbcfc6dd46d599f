import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const FILES = globSync(["agent-host/**/*.{ts,tsx}", "extension/**/*.ts", "media/**/*.{ts,tsx}", "l10n/*.ts"], {
	cwd: ROOT,
	exclude: (name) => name === "dist",
});

/** A literal stands where a value may begin, and ends at the first slash that is neither escaped nor in a class. */
const LITERAL =
	/(?<=[(,=:[!&|?{};\n>]\s{0,40}|return\s)\/((?:[^/\\[\n*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/[dgimsuvy]*/g;

/** Two ways to read the same run of characters, which make a run that does not fit cost its square or worse. */
const AMBIGUOUS: Readonly<Record<string, RegExp>> = {
	"a repetition of repetitions": /\((?:\?:)?(?:\[[^\]]*\]|\\?.)[+*]\)[+*]/,
	"the same class twice in a row": /(\\[swdSWD]|\[[^\]]*\])[*+]\1[*+]/,
	"space around something that may be missing": /\\s[*+](?:\\?[^\\()[\]]|\[[^\]]*\])\?\\s[*+]/,
	"anything, then space": /\.[*+]\\s[*+]/,
	"something lazy before space": /[+*]\?\)?(?:\\s|\[ \\t\])[*+]/,
	"a run at the end, found from each of its characters": /^(?:[^\\()[\]^]|\\.|\[(?:[^\]\\]|\\.)*\])+\+\$$/,
};

/** Known to be harmless, and why. */
const HARMLESS: readonly (readonly [source: string, why: string])[] = [
	["[\\r\\n]+$", "of one line, which has no line end but its last"],
	["\\.\\d+$", "begins at a point, and its run holds none"],
];

function expressionsIn(file: string): readonly string[] {
	const text = readFileSync(join(ROOT, file), "utf8").replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
	return [...text.matchAll(LITERAL)].map(([, source = ""]) => source);
}

test("the search finds more than 250 regular expressions in the source", () => {
	assert.ok(FILES.length > 400, String(FILES.length));
	const found = FILES.flatMap(expressionsIn);
	assert.ok(found.length > 250, String(found.length));
});

test("no regular expression can read a run of characters in many ways", () => {
	const known = new Set(HARMLESS.map(([source]) => source));
	const bad = FILES.flatMap((file) =>
		expressionsIn(file)
			.filter((source) => !known.has(source))
			.flatMap((source) =>
				Object.entries(AMBIGUOUS).flatMap(([kind, shape]) =>
					shape.test(source) ? [`${file}: /${source}/ has ${kind}`] : [],
				),
			),
	);
	assert.deepEqual(bad, []);
});

test("the ambiguous shapes once found in the source are recognized", () => {
	const once = [
		String.raw`cd[ \t]+([^&]+?)[ \t]*&&`,
		String.raw`<(?=\s*/?\s*tag)`,
		"(?:a+)+$",
		String.raw`[\d.]+$`,
		String.raw`\\+$`,
		String.raw`\s*\s*x`,
	];
	for (const source of once) {
		assert.ok(
			Object.values(AMBIGUOUS).some((shape) => shape.test(source)),
			source,
		);
	}
});

test("only listed files build regular expressions from parts", () => {
	const made = FILES.flatMap((file) => {
		const count = readFileSync(join(ROOT, file), "utf8").split("new RegExp(").length - 1;
		return count === 0 ? [] : [`${file} ${count}`];
	});
	assert.deepEqual(made.sort(), MADE);
});

/** Looked at one by one; worst cases of each are in linear.test.ts where it sees text from outside. */
const MADE: readonly string[] = [
	"agent-host/capabilities/hooks/match.ts 1",
	"agent-host/context/fragment.ts 1",
	"agent-host/context/tags.ts 1",
	"agent-host/model/demo.ts 1",
	"agent-host/model/retry.ts 2",
	"agent-host/model/wires/drafts.ts 1",
	"agent-host/model/wires/refusals/lessons.ts 2",
	"agent-host/permissions/decide/recognize-denial.ts 1",
	"agent-host/protocol/invisible.ts 1",
	"agent-host/sandbox/linux/try-bwrap.ts 1",
	"agent-host/store/threads/search-threads.ts 1",
	"agent-host/tools/patch-in-command.ts 2",
	"media/model/find/find-matches.ts 1",
	"media/model/words/escape-lookalikes.ts 1",
];
