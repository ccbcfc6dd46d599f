import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenThread } from "../support/editor-thread.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { calls, type Step, says } from "../support/fake-model-steps.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf } from "../support/request-page.ts";

/** A project that the editor's own TypeScript reads, and its tasks. */
export const PROJECT_FILES = {
	"tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [] }, include: ["*.ts"] }),
	"prices.ts": "export const total = 1;\nexport const sum = 2;\nexport const twice = total * 2;\n",
	"bill.ts": 'import { total } from "./prices";\n\nexport class Bill {\n\tpay(): number {\n\t\treturn total;\n\t}\n}\n',
	"shop.ts": 'import { twice } from "./prices";\n\nexport const shop = new Bill();\n',
	"shop.css": ":root {\n\t--gap: 4px;\n}\n.bill {\n\tmargin: var(--gap);\n\tcolour: red;\n}\n",
	".vscode/tasks.json": JSON.stringify({
		version: "2.0.0",
		tasks: [
			{ label: "greet", type: "shell", command: `echo greetings from $${"{workspaceFolder}"}`, group: "build" },
			{ label: "asks", type: "shell", command: `echo $${"{input:name}"}` },
		],
	}),
};

const REDECLARED = /^prices\.ts:1:14 error TS2451: Cannot redeclare block-scoped variable 'sum'\./m;
const NO_PROBLEMS = "The editor shows no problems here. Files that are not open may have some.";
const MOST_STEPS = 12;

/** The thread's window, which asks before every command unless it is told otherwise. */
interface Opened extends OpenThread {
	readonly folder: string;
}

/** The agent finds the usages of a symbol, renames it, reads the problem that this causes, and fixes it. */
export async function renameSymbol({ window, chat, model, play, folder }: Opened): Promise<void> {
	await allowWorkspace(window);
	// TypeScript's server reports only on files that are in a tab.
	await window.openFile("prices.ts");
	const fix = aPatch("*** Update File: prices.ts", "@@", "-export const sum = 2;", "+export const other = 2;");
	let isFixed = false;
	// On a busy machine the server reports later than a call waits for it; then the model asks again.
	const goOn = (): Step => {
		const last = outputsOf(model).at(-1) ?? "";
		if (isFixed && last === NO_PROBLEMS) return says("Fixed.");
		if (isFixed || !REDECLARED.test(last)) return calls("problems", { paths: ["prices.ts"] });
		isFixed = true;
		return calls("apply_patch", { patch: fix });
	};
	play(
		calls("locate_symbol", { symbol: "total", path: "prices.ts", line: "export const total" }),
		calls("rename_symbol", { symbol: "total", path: "prices.ts", line: 1, newName: "sum" }),
		...Array.from({ length: MOST_STEPS }, () => goOn),
	);
	await chat.ask("Call it sum.");
	await chat.waitForEnd();
	const [usages = "", renamed = "", ...rest] = outputsOf(model);
	assert.match(usages, /^4 usages of total in 2 files\nprices\.ts:1 definition {2}export const total = 1;\n/);
	assert.match(usages, /\nbill\.ts:5 {2}return total;/);
	assert.match(renamed, /^Changed:\nM (?:prices|bill)\.ts /);
	assert.ok(isFixed, "the model did not read of the problem");
	assert.equal(rest.at(-1), NO_PROBLEMS);
	const text = readFileSync(join(folder, "prices.ts"), "utf8");
	assert.equal(text, "export const sum = 1;\nexport const other = 2;\nexport const twice = sum * 2;\n");
	await chat.rows("turnSummary").getByText("2 files changed").waitFor();
	// All of it is the agent's own, although the editor made the changes in the open file.
	const lenses = window.page.locator(".part.editor .codelens-decoration");
	await lenses.filter({ hasText: "Keep" }).first().waitFor();
	assert.deepEqual(await lenses.filter({ hasText: "changed by you" }).allInnerTexts(), []);
}

/** The agent lets the editor fix an import that is missing, and then sort out the imports that are not used. */
export async function applyFixes({ window, chat, model, play, folder }: Opened): Promise<void> {
	await allowWorkspace(window);
	await window.openFile("shop.ts");
	const line = "export const shop";
	// On a busy machine the server reports later than a call waits for it; fixes come with the report.
	const problems = Array.from({ length: 3 }, () => calls("problems", { paths: ["shop.ts"] }));
	play(
		...problems,
		calls("code_action", { path: "shop.ts", line }),
		calls("code_action", { path: "shop.ts", line, title: IMPORT }),
		calls("code_action", { path: "shop.ts" }),
		calls("code_action", { path: "shop.ts", title: "Organize Imports" }),
		says("Done."),
	);
	await chat.ask("Fix it.");
	await chat.waitForEnd();
	const [known = "", fixes = "", fixed = "", whole = "", sorted = ""] = outputsOf(model).slice(-5);
	assert.match(known, /error TS2304: Cannot find name 'Bill'/);
	assert.ok(fixes.split("\n").includes(IMPORT), fixes);
	assert.match(fixed, /^Changed:\nM shop\.ts /);
	assert.match(whole, /^Organize Imports$/m);
	assert.match(sorted, /^Changed:\nM shop\.ts /);
	const text = readFileSync(join(folder, "shop.ts"), "utf8");
	assert.equal(text, 'import { Bill } from "./bill";\n\nexport const shop = new Bill();\n');
}

const IMPORT = 'Add import from "./bill"';

/** The agent reads symbols and definitions, and runs a task of the workspace in the sandbox. */
export async function readSymbols({ window, chat, model, play, folder }: Opened): Promise<void> {
	await allowWorkspace(window);
	play(
		calls("list_symbols", { path: "bill.ts" }),
		calls("list_symbols", { query: "Bill", path: "bill.ts" }),
		calls("locate_symbol", { symbol: "Bill", path: "bill.ts", find: "definition" }),
		calls("locate_symbol", { symbol: "pay", path: "bill.ts", find: "hover" }),
		calls("run_task", {}),
		calls("run_task", { name: "greet" }),
		says("Done."),
	);
	await chat.ask("Look around.");
	await chat.waitForEnd();
	const [outline = "", found = "", defined = "", hover = "", tasks = "", ran = ""] = outputsOf(model);
	assert.equal(outline, "class Bill 3-7\n  method pay 4-6");
	assert.match(found, /^bill\.ts:3 class Bill$/m);
	assert.match(defined, /^bill\.ts:3 {2}export class Bill \{$/);
	assert.match(hover, /^\(method\) Bill\.pay\(\): number$/);
	assert.match(tasks, new RegExp(`^greet \\(build\\): echo greetings from ${folder}$`, "m"));
	assert.doesNotMatch(tasks, /asks/, "what only the editor can ask is not offered");
	assert.match(ran, new RegExp(`greetings from ${folder}`));
}

/** The same with a server of another language, which is a program of its own: styles, in a tab. */
export async function askSecondServer({ window, chat, model, play, folder }: Opened): Promise<void> {
	await allowWorkspace(window);
	await window.openFile("shop.css");
	const steps = [
		calls("problems", { paths: ["shop.css"] }),
		calls("list_symbols", { path: "shop.css" }),
		calls("locate_symbol", { symbol: "--gap", path: "shop.css", line: 2 }),
		calls("rename_symbol", { symbol: "--gap", path: "shop.css", line: 2, newName: "--space" }),
		calls("problems", { paths: ["shop.css"] }),
		says("Done."),
	];
	play(...steps);
	await chat.ask("Look at the styles.");
	await chat.waitForEnd();
	const [problems = "", outline = "", usages = "", renamed = "", again = ""] = outputsOf(model).slice(-5);
	assert.match(problems, /^shop\.css:6:2 warning css unknownProperties: Unknown property: 'colour'/m);
	assert.match(outline, /^(?:\w+ )+\.bill 4-7$/m);
	assert.match(usages, /^2 usages of --gap in 1 file\nshop\.css:2/);
	assert.match(renamed, /^Changed:\nM shop\.css \(\+2 -2\)/);
	assert.match(again, /Unknown property: 'colour'/);
	assert.match(readFileSync(join(folder, "shop.css"), "utf8"), /--space: 4px[\s\S]*var\(--space\)/);
}

export async function allowWorkspace(window: EditorWindow): Promise<void> {
	await window.command("Vitrine: Change Permissions…");
	await window.quickPick("Workspace").click();
	await window.statusItem(/Workspace/).waitFor();
}

/** The results of all calls so far, as the model reads them. */
function outputsOf(model: FakeModel): readonly string[] {
	const last = model.requests.at(-1) ?? assert.fail("no request");
	return bodyOf(last).input.flatMap(({ type, output }) => (type === "function_call_output" ? [String(output)] : []));
}
