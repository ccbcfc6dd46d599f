import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..", "..");
const MANIFEST: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(ROOT, "package.nls.json"), "utf8"));
const BUNDLE: Readonly<Record<string, string>> = JSON.parse(
	readFileSync(join(ROOT, "l10n", "bundle.l10n.de.json"), "utf8"),
);
const PAGES = [
	...["README.md", "CHANGELOG.md", "SECURITY.md", "docs/README.md", "docs/using.md", "docs/command-line.md"],
	...["docs/compaction.md", "docs/compare.md", "docs/landlock.md", "docs/packages.md", "docs/storage.md"],
];

/** Phrases that a native speaker would not write, each with a sentence that contains it. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
	[/\banew\b/i, "The provider reads it anew."],
	[/\bfor ?ever\b/i, "It waits for ever."],
	[/\bfor good\b/i, "Allowed for good."],
	[/\bwhoever\b/i, "For whoever reads it."],
	[/\bby itself\b/i, "It compacts by itself."],
	[/\bof (?:the user|the system|the editor|the agent|the model)'s\b/, "A command of the user's."],
	[/(?<!there )\bis no (?!longer\b|limit\b|more\b)/i, "The file is no text."],
	[/\bbeforehand\b/i, "It cannot be told beforehand."],
	[/\bthus\b/i, "It is thus closed."],
	[/\bmeans:/i, "Empty means: the default."],
	[/\bwhat (?:was|is) (?:told|said|allowed)\b/i, "Nothing of what was told is left."],
	[/\b(?:take|takes|taken|took)(?: \w+){0,3} back\b/i, "Take the last restore back?"],
	[/\b(?:put|puts) (?:forward|right)\b/i, "Files were put forward again."],
	[/\b(?:bring|brings|brought) (?:back|in)\b/i, "The file cannot be brought in."],
	[/\bplease\b/i, "Please try again."],
	[/[a-z]!(?:\s|$)/i, "Done!"],
	[/\bword for word\b/i, "It stays word for word."],
	[/\b(?:go|goes|going) on\b/i, "The work goes on."],
	[/\bunasked\b/i, "It runs unasked."],
	[/\bnobody\b/i, "Nobody can be asked."],
	[/\bany more\b/i, "That turn is not there any more."],
	[/\bof yours\b/i, "A message of yours."],
	[/\bdearer\b/i, "Slower and dearer."],
	[/\bcut short\b/i, "A patch that was cut short."],
	[/\bpassed over\b/i, "It was passed over."],
	[/\bbroke off\b/i, "The answer broke off."],
	[/\bleads nowhere\b/i, "A link that leads nowhere."],
	[/\bopen changes?\b/i, "3 open changes."],
	[/\.\.\./, "Looking..."],
];

/** Other names that the permission modes have had; their ids are not for people. */
const OTHER_NAMES: readonly (readonly [RegExp, string])[] = [
	[/\bworkspace-write\b/i, "Now: workspace-write."],
	[/\bworkspaceWrite\b/, "Mode: workspaceWrite."],
	[/\bfull access\b|\bFull access\b/, "Give this thread full access?"],
	[/\bask first\b|\bAsk first\b/, "The mode is ask first."],
	[/\bmode is read-only\b/i, "The mode is read-only."],
	[/\bworkspace, no network\b/i, "workspace, no network"],
];

const SMALL = new Set(["a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"]);

test("no string that a person or the model reads sounds translated", () => {
	const all = [...manifestTexts(), ...bundleTexts(), ...hostTexts(), ...pageTexts()];
	assert.ok(all.length > 2_000, String(all.length));
	assert.deepEqual(findIn(all, FOREIGN), []);
	assertCaught(FOREIGN);
});

test("a permission mode has one name", () => {
	// Ids belong in code: between backticks, and in the usage of the command line.
	const all = [...manifestTexts(), ...bundleTexts(), ...hostTexts(), ...pageTexts()].map(
		([where, text]) => [where, /^(?:Usage: | {2}\[--)/.test(text) ? "" : text.replaceAll(/`[^`]*`/g, "")] as const,
	);
	assert.deepEqual(findIn(all, OTHER_NAMES), []);
	assertCaught(OTHER_NAMES);
});

test("the title of a command is in title case, and ends in … or in nothing", () => {
	const titles = Object.entries(MANIFEST).filter(([key]) => /^command\..*\.title$/.test(key));
	assert.ok(titles.length > 50);
	assert.deepEqual(
		titles.filter(([, title]) => !isTitle(title)),
		[],
	);
	for (const bad of ["Show log", "show Log", "Show Log.", "Show… Log", "Bring Back From Archive"])
		assert.equal(isTitle(bad), false, bad);
});

test("the description of a setting has at most 200 characters", () => {
	const settings = Object.entries(MANIFEST).filter(([key]) => key.startsWith("setting."));
	assert.ok(settings.length > 90);
	assert.deepEqual(
		settings.filter(([, text]) => text.length > 200).map(([key, text]) => `${key}: ${text.length}`),
		[],
	);
});

type Place = readonly [where: string, text: string];

function findIn(all: readonly Place[], patterns: readonly (readonly [RegExp, string])[]): readonly string[] {
	return all.flatMap(([where, text]) =>
		patterns.filter(([pattern]) => pattern.test(text)).map(([pattern]) => `${where}: ${pattern} in ${text}`),
	);
}

function assertCaught(patterns: readonly (readonly [RegExp, string])[]): void {
	for (const [pattern, planted] of patterns) assert.match(planted, pattern);
}

function isTitle(title: string): boolean {
	// “Sign In” is one verb.
	const words = title.replace(/…$/, "").replaceAll("Sign In", "SignIn").split(" ");
	return words.every((word, index) =>
		index > 0 && SMALL.has(word.toLowerCase()) ? SMALL.has(word) : /^[A-Z][A-Za-z]*$/.test(word),
	);
}

function manifestTexts(): readonly Place[] {
	return Object.entries(MANIFEST).map(([key, text]) => [`package.nls.json ${key}`, text]);
}

function bundleTexts(): readonly Place[] {
	return Object.keys(BUNDLE).map((key) => ["l10n", key]);
}

/** Every literal of the host with two words in it: its errors, warnings, reports, tools and fragments are all written so. */
function hostTexts(): readonly Place[] {
	const files = readdirSync(join(ROOT, "agent-host"), { recursive: true, encoding: "utf8" }).filter((file) =>
		file.endsWith(".ts"),
	);
	return files.flatMap((file) => {
		const source = readFileSync(join(ROOT, "agent-host", file), "utf8").replaceAll(
			/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import .*$/gm,
			"",
		);
		// Escapes and expressions are not words.
		return [...source.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
			.map(([, quoted, template]) => (quoted ?? template ?? "").replaceAll(/\\.|\$\{[^{}]*\}/g, "·"))
			.filter((text) => /[a-z]{2,} [a-z]{2,}/i.test(text) && !/[;{}]\n|=>/.test(text))
			.map((text): Place => [`agent-host/${file}`, text]);
	});
}

function pageTexts(): readonly Place[] {
	return PAGES.flatMap((file) =>
		readFileSync(join(ROOT, file), "utf8")
			.split("\n")
			// What is typed, and the names of branches, are not words.
			.map((line, index): Place => [`${file}:${index + 1}`, line.replaceAll(/`[^`]*\.\.\.[^`]*`/g, "")]),
	);
}
