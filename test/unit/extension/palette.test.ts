import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../../..");
const MANIFEST = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const WORDS: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(ROOT, "package.nls.json"), "utf8"));
const README = readFileSync(join(ROOT, "README.md"), "utf8");

interface Listed {
	readonly command: string;
	readonly when: string;
}

const RULES: readonly Listed[] = MANIFEST.contributes.menus.commandPalette;
const COMMANDS: readonly { readonly command: string; readonly title: string }[] = MANIFEST.contributes.commands;

function titleOf({ title }: { readonly title: string }): string {
	return WORDS[title.replaceAll("%", "")] ?? "";
}

/** A longer list is not read to its end. */
const MOST = 45;

test("the palette lists only commands that make sense there, and each title once", () => {
	const always = COMMANDS.filter(({ command }) => !RULES.some((rule) => rule.command === command)).map(titleOf);
	assert.ok(always.length <= MOST, String(always.length));
	const listed = COMMANDS.filter(
		({ command }) => !RULES.some((rule) => rule.command === command && rule.when === "false"),
	).map(titleOf);
	assert.deepEqual(
		listed.filter((title, index) => listed.indexOf(title) !== index),
		[],
	);
});

test("a command that the palette does not list is in a menu, or behind a button or a row", () => {
	const menus = JSON.stringify({ ...MANIFEST.contributes.menus, commandPalette: [] });
	const keys = JSON.stringify(MANIFEST.contributes.keybindings);
	const sources = [
		"extension/commands/panel-commands.ts",
		"extension/views/activity/activity-view.ts",
		"extension/attach/fix-action.ts",
		"extension/review/findings.ts",
	];
	const code = sources.map((file) => readFileSync(join(ROOT, file), "utf8")).join();
	const hidden = RULES.filter(({ when }) => when === "false").map(({ command }) => command);
	// Offered by the one command for all of them, and by the menus of source control.
	const merged = ["vitrine.reviewBranch", "vitrine.reviewCommit"];
	const lost = hidden.filter((id) => !(menus + keys + code).includes(`"${id}"`) && !merged.includes(id));
	assert.deepEqual(lost, []);
});

test("the README's table names commands by their titles, with the category where the palette lists them", () => {
	const table = README.slice(README.indexOf("| Command | What it does |"), README.indexOf("### Models"));
	const cells = table.split("\n").flatMap((line) => /^\| (.*?) \| /.exec(line)?.[1] ?? []);
	const titles = Map.groupBy(COMMANDS, titleOf);
	const isHidden = (title: string) =>
		titles.get(title)?.every(({ command }) => RULES.some((rule) => rule.command === command && rule.when === "false"));
	for (const cell of cells) {
		const isListed = cell.startsWith("**Vitrine: ");
		const [here, elsewhere = ""] = cell.split(";");
		for (const [, name = ""] of (here ?? "").matchAll(/\*\*(?:Vitrine: )?([^*]+)\*\*/g)) {
			assert.ok(titles.has(name), `${name} is no command`);
			assert.equal(isHidden(name), !isListed, name);
		}
		for (const [, name = ""] of elsewhere.matchAll(/\*\*([^*]+)\*\*/g)) assert.ok(isHidden(name), name);
	}
});

test("every setting value that is one of our identifiers has a label", () => {
	const sections = [MANIFEST.contributes.configuration].flat();
	const settings = sections.flatMap(({ properties }) => Object.entries<Record<string, readonly string[]>>(properties));
	const unlabelled = settings
		.filter(([, { enum: values = [], enumItemLabels: labels = [] }]) => {
			return values.some((value) => /[a-z][A-Z]/.test(value)) && labels.length !== values.length;
		})
		.map(([name]) => name);
	assert.deepEqual(unlabelled, []);
});
