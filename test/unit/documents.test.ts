import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { MAX_IMAGE_BYTES, MAX_IMAGES, MAX_IMAGES_BYTES, MAX_PROMPT_CHARS } from "../../agent-host/protocol/limits.ts";
import { ManagedLimits } from "../../agent-host/protocol/settings/managed-limits.ts";
import { PolicyFile } from "../../agent-host/protocol/settings/policy-file.ts";
import { ProvidersSettings } from "../../agent-host/protocol/settings/provider-settings.ts";
import { ServersSettings } from "../../agent-host/protocol/settings/server-settings.ts";
import { MAX_IMAGE_SIDE } from "../../agent-host/protocol/thread/image.ts";
import { BACKGROUND_MS, MAX_BACKGROUND } from "../../agent-host/sandbox/command/processes.ts";
import { MAX_RUNNING, MAX_RUNNING_TREE, MAX_STARTED, MAX_STARTED_TREE } from "../../agent-host/session/agents/crew.ts";
import { MAX_READ_BYTES } from "../../agent-host/workspace/files/read-files.ts";
import { MAX_DROPPED_FILES } from "../../media/wire/limits.ts";
import { PROJECT } from "../support/editor-paths.ts";

const read = (file: string): string => readFileSync(join(PROJECT, file), "utf8");
const MANIFEST = JSON.parse(read("package.json"));
const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md"].concat(
	globSync("docs/**/*.md", { cwd: PROJECT }),
);

const OUR_FOLDERS = ["agent-host", "docs", "extension", "l10n", "media", "test"];
const IS_FILE = /\.(?:css|json|md|mjs|tsx?|txt)$/;
/** Files that commands create, by command, and files kept elsewhere. */
const NOT_IN_THE_TREE = new Set([
	// npm run package, npm run build, npm test -- editor, npm run mutate -- --publish
	"dist/vitrine.vsix",
	"agent-host.cjs",
	"test/editor/pictures",
	"docs/mutations.md",
	// In the home of threads, and in workspaces
	"index.json",
	"servers.json",
	"AGENTS.md",
	"CLAUDE.md",
	"SKILL.md",
	"hooks.json",
	"AGENTS.override.md",
]);

for (const document of DOCUMENTS) {
	test(`every path, link, heading, script and setting that ${document} names exists`, () => {
		const text = read(document);
		assert.deepEqual(
			{
				paths: lostPaths(text),
				links: lostLinks(document, text),
				headings: lostHeadings(document, text),
				scripts: lostScripts(text),
				settings: lostSettings(text),
			},
			{ paths: [], links: [], headings: [], scripts: [], settings: [] },
		);
	});
}

/** Paths in backquotes, also inside commands. They begin at the top, in agent-host, or beside one in the same paragraph. */
function lostPaths(text: string): readonly string[] {
	const paragraphs = text.replaceAll(/^```[\s\S]*?^```/gm, "").split(/\n\n|\n(?=\||- |\*\*)/);
	return paragraphs.flatMap((paragraph) => {
		const folders = ["", "agent-host"];
		const named = [...paragraph.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => code.split(" ").filter(isOurPath));
		return named.filter((path) => {
			const found = folders.map((folder) => join(folder, path)).find(isThere);
			if (found !== undefined) folders.push(found, dirname(found));
			return found === undefined && !NOT_IN_THE_TREE.has(path);
		});
	});
}

function isOurPath(word: string): boolean {
	if (!/^\w[\w@.{},*-]*(?:\/[\w@.{},*-]+)*$/.test(word)) return false;
	return IS_FILE.test(word) || OUR_FOLDERS.includes(word.split("/")[0] ?? "");
}

function isThere(path: string): boolean {
	return existsSync(join(PROJECT, path)) || globSync(path, { cwd: PROJECT }).length > 0;
}

function lostLinks(document: string, text: string): readonly string[] {
	const found = [/\]\(([^)#\s]+)[^)]*\)/g, /<img [^>]*src="([^"]+)"/g].flatMap((form) => [...text.matchAll(form)]);
	const links = found.map(([, link = ""]) => link);
	return links.filter((link) => !/^https?:/.test(link) && !existsSync(join(PROJECT, dirname(document), link)));
}

/** Links to a heading of a page, this one or another, that has no such heading. */
function lostHeadings(document: string, text: string): readonly string[] {
	const links = [...text.matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g)].filter(([, page = ""]) => !/^https?:/.test(page));
	return links.flatMap(([link, page = "", heading = ""]) => {
		const file = page === "" ? document : join(dirname(document), page);
		return existsSync(join(PROJECT, file)) && listHeadings(read(file)).has(heading) ? [] : [link];
	});
}

/** By the names that a link gives them. */
function listHeadings(text: string): ReadonlySet<string> {
	const lines = text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm);
	return new Set([...lines].map(([, title = ""]) => nameHeading(title)));
}

function nameHeading(title: string): string {
	return title
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
		.replaceAll(/\s/g, "-");
}

function lostScripts(text: string): readonly string[] {
	const scripts = [...text.matchAll(/`npm run ([\w:]+)/g)].map(([, script = ""]) => script);
	return scripts.filter((script) => !(script in MANIFEST.scripts));
}

/** A name may be that of a group, such as `vitrine.budgets` or `vitrine.permissions.*`. */
function lostSettings(text: string): readonly string[] {
	const known = MANIFEST.contributes.configuration.flatMap((group: { properties: object }) =>
		Object.keys(group.properties),
	);
	const named = [...text.matchAll(/`(vitrine\.[\w.]*\w)\.?\*?`/g)].map(([, name = ""]) => name);
	return named.filter((name) => !known.some((id: string) => id === name || id.startsWith(`${name}.`)));
}

test("CONTRIBUTING.md names the Node version that comes with the packages", () => {
	const [, named] = /Every npm script runs on Node (\d+)/.exec(read("CONTRIBUTING.md")) ?? [];
	const coming = Object.entries<string>(MANIFEST.optionalDependencies).filter(([name]) => name.startsWith("node-"));
	assert.deepEqual(
		coming.map(([, version]) => version.split(".")[0]),
		coming.map(() => named),
	);
});

test("docs/using.md names every command of the palette", () => {
	const names: Readonly<Record<string, string>> = JSON.parse(read("package.nls.json"));
	const { commands, menus } = MANIFEST.contributes;
	const hidden = new Set(
		menus.commandPalette.flatMap((item: { command: string; when: string }) =>
			item.when === "false" ? [item.command] : [],
		),
	);
	const shown: readonly { command: string; title: string }[] = commands.filter(
		({ command }: { command: string }) => !hidden.has(command),
	);
	const page = read("docs/using.md");
	const titles = shown.map(({ title }) => names[title.slice(1, -1)] ?? title);
	assert.deepEqual(
		titles.filter((title) => !page.includes(`**${title}**`) && !page.includes(`**Vitrine: ${title}**`)),
		[],
	);
});

test("the examples of files and settings in the documents are accepted as they stand", () => {
	const blocks = (page: string) =>
		[...read(page).matchAll(/^```jsonc?$([\s\S]*?)^```$/gm)].map(([, block = ""]) => block.trim());
	const settings = (id: string) =>
		blocks("docs/using.md").flatMap((block) => {
			const [, value] = new RegExp(`^"${id}": (\\{[\\s\\S]*)$`).exec(block) ?? [];
			return value === undefined ? [] : [JSON.parse(value)];
		});
	const examples = [
		[ProvidersSettings, settings("vitrine.providers")],
		[ServersSettings, settings("vitrine.servers")],
		[
			ManagedLimits,
			blocks("docs/using.md").flatMap((block) => (block.includes('"modelServers"') ? [JSON.parse(block)] : [])),
		],
		[
			PolicyFile,
			blocks("docs/command-line.md").flatMap((block) => (block.includes('"filesystem"') ? [JSON.parse(block)] : [])),
		],
	] as const;
	assert.deepEqual(
		examples.map(([, found]) => found.length),
		[1, 2, 1, 1],
	);
	for (const [schema, found] of examples) {
		for (const example of found) assert.deepEqual(schema.safeParse(example).error?.issues ?? [], []);
	}
});

test("docs/command-line.md names every key of a policy file", () => {
	const [, section = ""] = /^## A policy file$([\s\S]*?)^## /m.exec(read("docs/command-line.md")) ?? [];
	const limits = Object.keys(PolicyFile.shape.limits.unwrap().shape);
	const environment = Object.keys(PolicyFile.shape.environment.unwrap().shape);
	const keys = [...Object.keys(PolicyFile.shape), ...limits, ...environment];
	assert.deepEqual(
		keys.filter((key) => ["`", '"'].every((quote) => !section.includes(quote + key + quote))),
		[],
	);
});

test("docs/using.md names the limits that hold", () => {
	const [, section = ""] = /^## Limits$([\s\S]*)/m.exec(read("docs/using.md")) ?? [];
	const [, agents = ""] = /^## Sub-agents$([\s\S]*?)^## /m.exec(read("docs/using.md")) ?? [];
	const megabytes = (bytes: number) => Math.round(bytes / 1_048_576);
	assert.deepEqual(
		[
			`Up to ${MAX_PROMPT_CHARS.toLocaleString("en-US")} characters`,
			`up to ${MAX_IMAGES} images`,
			`of ${megabytes(MAX_IMAGE_BYTES)} MB and ${MAX_IMAGE_SIDE.toLocaleString("en-US")} pixels per side, ${megabytes(MAX_IMAGES_BYTES)} MB in total`,
			`up to ${MAX_DROPPED_FILES} can be dropped at once`,
			`reads files up to ${MAX_READ_BYTES / 1_000_000} MB`,
			`keeps ${megabytes(DEFAULT_LIMITS.outputBytes)} MB of output`,
			`at most ${MAX_BACKGROUND} run in`,
		].filter((said) => !section.includes(said)),
		[],
	);
	assert.deepEqual([DEFAULT_LIMITS.timeoutMs, BACKGROUND_MS], [2 * 60_000, 60 * 60_000]);
	assert.match(section, /times out after two minutes, in the background after an hour,/);
	assert.deepEqual([MAX_RUNNING, MAX_STARTED, MAX_RUNNING_TREE, MAX_STARTED_TREE], [4, 16, 8, 32]);
	assert.match(agents, /up to four at once, sixteen in a turn,/);
	assert.match(agents, /eight agents of all levels work at once, and a turn starts up to 32\./);
});

test("the index of docs names every page", () => {
	const pages = globSync(["docs/*.md", "docs/pictures/README.md"], { cwd: PROJECT })
		.map((page) => relative("docs", page))
		.filter((page) => page !== "README.md");
	const index = read("docs/README.md");
	assert.deepEqual(
		pages.filter((page) => !index.includes(`](${page})`)),
		[],
	);
});

test("everything that the workflows run exists, and every action is pinned to a commit", () => {
	const workflows = globSync(".github/workflows/*.yml", { cwd: PROJECT }).map(read).join("\n");
	const scripts = [...workflows.matchAll(/\bnpm run ([\w:]+)/g)].map(([, script = ""]) => script);
	const files = [...workflows.matchAll(/(?:\bnode --test|run:) ((?:\.ci|test)\/\S+)/g)].map(([, file = ""]) => file);
	const actions = [...workflows.matchAll(/\buses: (\S+)/g)].map(([, action = ""]) => action);
	assert.deepEqual([scripts.length > 0, files.length > 2, actions.length > 0], [true, true, true]);
	assert.deepEqual(
		{
			scripts: scripts.filter((script) => !(script in MANIFEST.scripts)),
			files: files.filter((file) => !existsSync(join(PROJECT, file))),
			actions: actions.filter((action) => !/@[0-9a-f]{40}$/.test(action)),
		},
		{ scripts: [], files: [], actions: [] },
	);
});

const ROADS = { "One turn": 25, "One command": 25, "One patch": 18 };

for (const [road, most] of Object.entries(ROADS)) {
	test(`the road “${road}” of ARCHITECTURE.md has at most ${most} files, each joined to one before it`, () => {
		const [, table = ""] = new RegExp(`^#+ ${road}$([\\s\\S]*?)(?=^#)`, "m").exec(read("ARCHITECTURE.md")) ?? [];
		const rows = [...table.matchAll(/^\| \d+ \| `([^`]+)`( ⇢)? \|/gm)];
		const files = rows.map(([, file = ""]) => file);
		assert.ok(files.length > 0 && files.length <= most, `${files.length} files`);
		// A message of the protocol leads to a file behind an arrow.
		const lost = rows.flatMap(([, file = "", arrow], index) => {
			const before = files.slice(0, index);
			const isJoined = before.some((earlier) => imports(earlier, file) || imports(file, earlier));
			return index === 0 || isJoined || arrow !== undefined ? [] : [file];
		});
		assert.deepEqual(lost, []);
	});
}

function imports(file: string, other: string): boolean {
	const specifiers = [...read(file).matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(([, path = ""]) => path);
	return specifiers.some((path) => join(dirname(file), path) === other);
}
