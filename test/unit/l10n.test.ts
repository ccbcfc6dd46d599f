import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { findProblem } from "../../agent-host/permissions/policy/sandbox-problem.ts";
import { asMessage, say } from "../../agent-host/protocol/say.ts";
import { SENTENCES } from "../../agent-host/protocol/sentences.ts";
import { sayHost, sayWarning } from "../../l10n/host-words.ts";
import { type Bundle, countOf, setLanguage, t } from "../../l10n/t.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const LANGUAGES = ["de", "es", "ja", "zh-cn"];
const english = read("package.nls.json");
const bundles = new Map(LANGUAGES.map((language) => [language, read(`l10n/bundle.l10n.${language}.json`)]));
const MESSAGES = messagesIn(bundles.get("de") ?? {});
const SOURCES = sourcesOf("extension", "media", "l10n", "agent-host/protocol");

after(() => setLanguage("en", undefined));

test("every message has a translation in every language, and there are no others", () => {
	for (const [language, bundle] of bundles) {
		assert.deepEqual(messagesIn(bundle), MESSAGES, language);
		assert.deepEqual(
			Object.values(bundle).filter((text) => text.trim() === ""),
			[],
			language,
		);
		const manifest = read(`package.nls.${language}.json`);
		assert.deepEqual(Object.keys(manifest), Object.keys(english), language);
	}
});

test("a translation keeps the placeholders, settings and commands of its original", () => {
	for (const [language, bundle] of bundles) {
		const own = Object.entries(bundle).map(([message, text]) => [message.replace(/#\w+$/, ""), text] as const);
		const manifest = read(`package.nls.${language}.json`);
		const settings = Object.entries(english).map(([key, text]) => [text, manifest[key] ?? ""] as const);
		const wrong = [...own, ...settings].filter(([from, to]) => placesIn(from) !== placesIn(to));
		assert.deepEqual(wrong, [], language);
	}
});

test("every plural form that a language has is there", () => {
	const counted = [...SOURCES.matchAll(/countOf\([^"]*?, "([^"]+)", "([^"]+)"/g)].map(([, , other]) => other ?? "");
	assert.notDeepEqual(counted, []);
	for (const [language, bundle] of bundles) {
		const rare = new Intl.PluralRules(language)
			.resolvedOptions()
			.pluralCategories.filter((form) => form !== "one" && form !== "other");
		const wanted = rare.flatMap((form) => counted.map((message) => `${message}#${form}`));
		assert.deepEqual(
			wanted.filter((key) => bundle[key] === undefined),
			[],
			language,
		);
	}
});

test("no message is left over", () => {
	assert.deepEqual(
		MESSAGES.filter((message) => !SOURCES.includes(JSON.stringify(message))),
		[],
	);
});

test("text that a person reads goes through t", () => {
	const shown = [
		/(?<![:\w])(?:title|label|alt|placeholder|aria-label)="[A-Z][^"]*"/g,
		/\b(?:title|prompt|placeHolder|placeholder|label|detail|description|tooltip)(?::| =) ["`](?!\$\()[^"`]*[a-z]{3} [^"`]*["`]/g,
		/show(?:Information|Warning|Error)Message\(\s*["`][^"`]*/g,
		/^\t+[A-Z“][a-z]+(?: [\w“”'’,.:]+)+$/gm,
		/>(?!Vitrine<)[A-Z][a-z]+[^<>{}=;()]*<\//g,
	];
	const literals = shown.flatMap((pattern) => SOURCES.match(pattern) ?? []);
	// A table of messages is said where it is used.
	const known = (literal: string) => MESSAGES.includes(/["`](.*)["`]$/.exec(literal)?.[1] ?? "");
	assert.deepEqual(
		literals.filter((literal) => !known(literal)),
		[],
	);
});

test("placeholders are filled, numbers and plurals follow the language, and English needs no bundle", () => {
	assert.deepEqual(
		[t("{0} of {1}", 1, 2_000), countOf(1, "{0} file", "{0} files"), countOf(1_200, "{0} file", "{0} files")],
		["1 of 2,000", "1 file", "1,200 files"],
	);
	setLanguage("de", bundles.get("de"));
	assert.equal(countOf(1_200, "{0} file", "{0} files"), "1.200 Dateien");
	setLanguage("es", { "{0} files": "{0} archivos", "{0} files#many": "{0} de archivos" });
	assert.equal(countOf(2_000_000, "{0} file", "{0} files"), "2.000.000 de archivos");
	setLanguage("ja", { "{0} files": "{0} 個のファイル" });
	assert.equal(countOf(1, "{0} file", "{0} files"), "1 個のファイル");
	setLanguage("fr", undefined);
	assert.equal(countOf(1_200, "{0} file", "{0} files"), "1,200 files");
});

test("a message of the host is shown in the reader's language with its values, or in English if it is unknown here", () => {
	const failure = say("prompt-too-long", { length: 1_200_000, most: 1_000_000 });
	const english = "The prompt has 1200000 characters; the limit is 1000000. Put the text in a file and ask about it.";
	assert.deepEqual(asMessage(failure), {
		message: english,
		sentence: "prompt-too-long",
		values: { length: 1_200_000, most: 1_000_000 },
	});
	setLanguage("de", bundles.get("de"));
	assert.match(sayHost(asMessage(failure)), /^Die Eingabe hat 1\.200\.000 Zeichen; höchstens 1\.000\.000 /);
	for (const unknown of [
		{ message: english },
		{ message: english, sentence: "of-a-newer-host", values: {} },
		{ message: english, sentence: "toString" },
		{ message: english, sentence: "prompt-too-long", values: { length: 1 } },
	])
		assert.equal(sayHost(unknown), english);
	const nested = say("no-open-changes", { path: "{path} {0}" });
	assert.equal(sayHost(asMessage(nested)), "{path} {0} hat keine ausstehenden Änderungen.");
	const { code: _, ...problem } = findProblem("bwrap-too-old");
	assert.equal(
		sayWarning({ ...problem, detail: "bwrap 0.1" }),
		"Dieses bubblewrap ist zu alt, um Befehle einzuschließen, daher gibt es keine Sandbox für Befehle. (bwrap 0.1) Installieren Sie bubblewrap 0.5 oder neuer.",
	);
	setLanguage("en", undefined);
});

test("a sentence that refers to a command uses its title in the command palette of the same language", () => {
	const english: Bundle = read("package.nls.json");
	for (const [language, bundle] of bundles) {
		const manifest: Bundle = read(`package.nls.${language}.json`);
		const titles = Object.entries(english).filter(([key]) => /^command\..*\.title$/.test(key));
		const named = Object.entries(bundle).flatMap(([message, words]) =>
			titles
				.filter(([, title]) => message.includes(`Vitrine: ${title}`))
				.map(([key]) => ({ message, words, title: manifest[key] ?? "" })),
		);
		assert.ok(named.length > 10, String(named.length));
		assert.deepEqual(
			named.filter(({ words, title }) => !words.includes(title)),
			[],
			language,
		);
	}
});

test("a sentence that names a command by its category names one that the palette lists", () => {
	const { commands, menus } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).contributes;
	const unlisted = new Set(
		menus.commandPalette.flatMap((item: { command: string; when: string }) =>
			item.when === "false" ? [item.command] : [],
		),
	);
	const titles: readonly string[] = commands
		.filter(({ command }: { command: string }) => unlisted.has(command))
		.map(({ title }: { title: string }) => english[title.slice(1, -1)] ?? title);
	assert.ok(titles.includes("Repair History"));
	assert.deepEqual(
		[...MESSAGES, ...Object.values(english)].filter((text) =>
			titles.some((title) => new RegExp(`Vitrine: ${title}(?![\\w… ])`).test(text)),
		),
		[],
	);
});

test("a permission mode has one name in every language", () => {
	for (const [language, bundle] of bundles) {
		const manifest: Bundle = read(`package.nls.${language}.json`);
		const texts = Object.entries(read("package.nls.json")).map(([key, text]) => [text, manifest[key] ?? ""] as const);
		for (const mode of ["Read Only", "Ask First", "Full Access"]) {
			const name = bundle[mode]?.toLowerCase() ?? "";
			const others = [...Object.entries(bundle), ...texts].filter(
				([message, words]) => message.includes(mode) && !words.toLowerCase().includes(name),
			);
			assert.deepEqual(others, [], `${language}: ${name}`);
		}
	}
});

/** Names of things as each language has them, with the English word that stands for nothing else. */
const NAMES: readonly (readonly [english: RegExp, Readonly<Record<string, RegExp>>])[] = [
	[/^Workspace$/, { de: /^Arbeitsbereich$/, es: /^Área de trabajo$/, ja: /^ワークスペース$/, "zh-cn": /^工作区$/ }],
	[/\bthreads?\b/i, { de: /Thread/, es: /hilo/i, ja: /スレッド/, "zh-cn": /会话/ }],
	[
		/\b(?:a|each|every|last|next|the|this|running) turns?\b/i,
		{ de: /Runde/, es: /turno/i, ja: /ターン/, "zh-cn": /轮/ },
	],
	[/\bapprovals?\b(?! is set)/i, { de: /enehmig/, es: /apr(?:ob|ueb)/i, ja: /承認/, "zh-cn": /批准/ }],
	[/\bpending changes?\b/i, { de: /ausstehende/i, es: /pendientes?/, ja: /保留中/, "zh-cn": /待处理/ }],
	[/\bsub-agents?\b/i, { de: /Unteragent/, es: /subagente/i, ja: /サブエージェント/, "zh-cn": /子代理/ }],
	[
		/\bsecret storage\b/,
		{ de: /Geheimnisspeicher/, es: /almacenamiento de secretos/, ja: /シークレット ストレージ/, "zh-cn": /机密存储/ },
	],
];

test("a thing has one name in every language", () => {
	for (const [language, bundle] of bundles) {
		const manifest: Bundle = read(`package.nls.${language}.json`);
		const settings = Object.entries(english).map(([key, text]) => [text, manifest[key] ?? ""] as const);
		const others = [...Object.entries(bundle), ...settings].filter(([message, words]) => {
			const said = message.replaceAll(/`[^`]*`|\{\w+\}|\(command:[^)]*\)/g, "");
			return NAMES.some(([name, own]) => name.test(said) && own[language]?.test(words) === false);
		});
		assert.deepEqual(others, [], language);
	}
});

test("every sentence of the host is used somewhere", () => {
	const host = sourcesOf("agent-host");
	// As a key, a sentence is only declared. A fix is used with its problem.
	const isSaid = (name: string) => new RegExp(`"${name}"(?!:)`).test(host);
	const unsaid = Object.keys(SENTENCES).filter((name) => !isSaid(name) && !isSaid(name.replace(/-fix$/, "")));
	assert.deepEqual(unsaid, []);
});

test("a value is never read as a placeholder", () => {
	assert.equal(t("{0} and {1}", "{1}", "b"), "{1} and b");
});

function messagesIn(bundle: Bundle): readonly string[] {
	return Object.keys(bundle)
		.filter((key) => !/#\w+$/.test(key))
		.sort();
}

/** Parts that must not be translated: placeholders, icons, links to commands, names of settings and code. */
function placesIn(text: string): string {
	const found = text.match(/\{\w+\}|\$\([\w-]+\)|\]\([^)]+\)|`[^`]+`/g) ?? [];
	return found.sort().join(" ");
}

function read(file: string): Bundle {
	return JSON.parse(readFileSync(join(ROOT, file), "utf8"));
}

function sourcesOf(...rooms: readonly string[]): string {
	return rooms
		.flatMap((room) =>
			readdirSync(join(ROOT, room), { recursive: true, encoding: "utf8" })
				.filter((file) => /\.tsx?$/.test(file) && !file.includes("dist"))
				.map((file) => readFileSync(join(ROOT, room, file), "utf8")),
		)
		.map((text) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""))
		.join("\n");
}
