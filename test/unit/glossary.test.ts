import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..", "..");
const ROOMS = ["agent-host", "extension", "media"];

/** The last section of ARCHITECTURE.md before the invariants: the table of terms and the two lists below it. */
const GLOSSARY = /^## Words\n([\s\S]*?)^## /m.exec(readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8"))?.[1] ?? "";
const AVOIDED_IN_NAMES = GLOSSARY.split("\n").flatMap((line) => codeIn(/^\|.*\|(.*)\|$/.exec(line)?.[1] ?? ""));
const AVOIDED_IN_COMMENTS = codeIn(/none contains:([\s\S]*?)\. `test\/unit\/glossary/.exec(GLOSSARY)?.[1] ?? "");

/** Names of other people's things. */
const FOREIGN_NAMES = new Set(["serviceTier"]);
/** Accessors that read well where they are used: a path below a folder. */
const ACCESSORS = new Set(["runFolderOf", "temporaryFolderOf"]);

test("no exported name and no file name contains a word that the glossary avoids", () => {
	assert.ok(AVOIDED_IN_NAMES.length >= 6, AVOIDED_IN_NAMES.join());
	const found = sources().flatMap((file) => {
		const names = [basename(file).replace(/\.tsx?$/, ""), ...exportsIn(read(file)).map(({ name }) => name)];
		return names.filter((name) => !FOREIGN_NAMES.has(name) && hasAvoidedWord(name)).map((name) => `${file}: ${name}`);
	});
	assert.deepEqual(found, []);
	assert.deepEqual(
		["createServiceWorker", "file-manager", "INJECTION_MARK", "observe", "deserviced"].filter(hasAvoidedWord),
		["createServiceWorker", "file-manager", "INJECTION_MARK"],
	);
});

test('no exported function is a noun that ends in "Of", but for accessors of a path', () => {
	const found = sources().flatMap((file) =>
		exportsIn(read(file)).flatMap(({ kind, name }) => (kind === "function" && name.endsWith("Of") ? [name] : [])),
	);
	assert.deepEqual(new Set(found), ACCESSORS);
});

test("comments are in plain English: none contains a word that the glossary rules out", () => {
	assert.ok(AVOIDED_IN_COMMENTS.length >= 15, AVOIDED_IN_COMMENTS.join());
	const found = sources().flatMap((file) => commentsIn(read(file)).flatMap((comment) => findAvoided(file, comment)));
	assert.deepEqual(found, []);
	const planted =
		"/** Read\n\t * for\n\t * ever. */\nconst a = 1; // Whoever asks\n// Made once,\n// then anew,\n// by one of the user's rules of the user's.\n";
	assert.deepEqual(
		commentsIn(planted).flatMap((comment) => findAvoided("planted", comment).map((line) => line.split(": ")[1])),
		["for ever", "anew", "of the user's", "whoever"],
	);
});

function sources(): readonly string[] {
	return ROOMS.flatMap((room) =>
		readdirSync(join(ROOT, room), { recursive: true, encoding: "utf8" })
			.map((file) => join(room, file))
			.filter((file) => /\.tsx?$/.test(file) && !file.startsWith("media/dist")),
	);
}

function read(file: string): string {
	return readFileSync(join(ROOT, file), "utf8");
}

function codeIn(text: string): readonly string[] {
	return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => code ?? []);
}

function exportsIn(text: string): readonly { readonly kind: string; readonly name: string }[] {
	const pattern = /^export (?:declare )?(?:async )?(?:abstract )?(function|const|let|interface|type|class)\*? (\w+)/gm;
	return [...text.matchAll(pattern)].map(([, kind = "", name = ""]) => ({ kind, name }));
}

function hasAvoidedWord(name: string): boolean {
	const words = name
		.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^a-z0-9]+/);
	return AVOIDED_IN_NAMES.some((avoided) => words.includes(avoided));
}

/** Each comment as one line: blocks, runs of lines that begin with slashes, and comments behind code. */
function commentsIn(text: string): readonly string[] {
	const blocks = [...text.matchAll(/^[ \t]*\{?\/\*[\s\S]*?\*\//gm)].map(([block]) =>
		block.replaceAll(/\n[ \t]*\*/g, " "),
	);
	const lines = [...text.matchAll(/(?:^[ \t]*\/\/.*\n)+/gm)].map(([run]) => run.replaceAll(/^[ \t]*\/\//gm, " "));
	const behind = [...text.matchAll(/[^\s:"'`/].*?[ \t]\/\/ (.*)$/gm)].map(([, comment]) => comment ?? "");
	return [...blocks, ...lines, ...behind].map((comment) => comment.replaceAll(/\s+/g, " "));
}

function findAvoided(file: string, comment: string): readonly string[] {
	return AVOIDED_IN_COMMENTS.filter((phrase) => asPattern(phrase).test(comment)).map(
		(phrase) => `${file}: ${phrase}: ${comment.trim()}`,
	);
}

/** "One of the user's limits" is English, "a limit of the user's" is not: a noun must follow. */
function asPattern(phrase: string): RegExp {
	const isPossessive = /^of the .*'s$/.test(phrase);
	return new RegExp(
		`\\b${phrase}${isPossessive ? "(?! (?!(?:and|are|is|or|own|that|to|which)\\b)[a-z])" : "\\b"}`,
		"i",
	);
}
