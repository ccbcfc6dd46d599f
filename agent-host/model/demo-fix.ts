import { type DemoPlace, type DemoStep, SET_UP_MODEL } from "./demo-step.ts";

/** Prompts that ask for what the README of the sample workspace complains about. */
const ASKED = /\bfix\b[\s\S]*\b(?:bug|discount|apples?|readme)\b/i;
const WRONG = "return pieces > DISCOUNT_FROM ?";
const RIGHT = "return pieces >= DISCOUNT_FROM ?";
const FILE = "src/basket.js";

const FIX = patch(
	`*** Update File: ${FILE}`,
	"@@",
	" \tconst full = pieces * cents;",
	`-\t${WRONG} full - Math.round((full * DISCOUNT_PERCENT) / 100) : full;`,
	`+\t${RIGHT} full - Math.round((full * DISCOUNT_PERCENT) / 100) : full;`,
);

const TASK = patch(
	"*** Add File: .vscode/tasks.json",
	"+{",
	'+\t"version": "2.0.0",',
	'+\t"tasks": [{ "type": "npm", "script": "test", "group": { "kind": "test", "isDefault": true } }]',
	"+}",
);

/** Whether the demo model is asked to fix the sample's bug. */
export function asksForFix(prompt: string): boolean {
	return ASKED.test(prompt);
}

/** Fixes the sample's bug step by step: read, edit, run the tests, ask for an approval, report. */
export function planFix(outputs: readonly string[], offered: ReadonlySet<string>, place: DemoPlace): DemoStep {
	const [readme, source, edited, tested, task] = outputs;
	if (readme === undefined) return call("I'll read the README first.", "read_file", { path: "README.md" });
	if (!/ten apples/.test(readme)) return say(refuseOther(place));
	if (source === undefined) return call(FOUND, "read_file", { path: FILE });
	if (!source.includes(WRONG)) return say(`\`${FILE}\` already counts the tenth piece: there is nothing to fix.`);
	if (!offered.has("apply_patch") || !offered.has("run_command")) return say(READ_ONLY);
	if (edited === undefined) return call(CAUSE, "apply_patch", { patch: FIX });
	if (tested === undefined) {
		return call("Now the tests.", "run_command", {
			command: "node --test test/basket.test.js",
			reason: "to see that it works",
		});
	}
	if (task === undefined) return call(ASKS, "apply_patch", { patch: TASK });
	return say(report(tested, task, place));
}

function refuseOther(place: DemoPlace): string {
	return `I am the **demo model**, scripted and offline: the only bug that I can fix is the one in the sample workspace. For this one, ${SET_UP_MODEL[place]} first.`;
}

const FOUND = "A customer who bought exactly ten apples got no discount. The rule is in the basket.";

const CAUSE = `The discount should begin *with* the tenth piece, but \`${FILE}\` asks for more than ten. I'll change the comparison.`;

const READ_ONLY = `The discount should begin *with* the tenth piece, but \`${FILE}\` asks for more than ten: \`>\` should be \`>=\`. I can only read here. Trust the workspace, or leave plan mode, and ask again.`;

const ASKS =
	"One more thing: a task, so that you can run the tests from the editor. Files in `.vscode` decide what the editor runs, so this needs your approval.";

const REVIEW: Readonly<Record<DemoPlace, string>> = {
	editor: "Review the change above the prompt: **Keep** or **Reject** it. ",
	commandLine: "",
};

function report(tested: string, task: string, place: DemoPlace): string {
	const passed = /\bfail 0\b/.test(tested) && /^Exit code 0\b/m.test(tested);
	const isAdded = /^(?:Done|Applied|Success)|\btasks\.json\b/m.test(task) && !/denied|refused|not allowed/i.test(task);
	return [
		passed
			? "The bug is fixed, and the tests pass."
			: "The bug is fixed, but the tests did not pass here; see their output above.",
		[
			"| Step | Result |",
			"| --- | --- |",
			`| \`${FILE}\` | \`>\` is now \`>=\` |`,
			`| \`node --test\` | ${passed ? "passed" : "did not pass"} |`,
			`| \`.vscode/tasks.json\` | ${isAdded ? "added, with your approval" : "not added"} |`,
		].join("\n"),
		`${REVIEW[place]}I am the **demo model**, scripted and offline; for your own code, ${SET_UP_MODEL[place]} first.`,
	].join("\n\n");
}

function call(text: string, name: string, args: Readonly<Record<string, unknown>>): DemoStep {
	return { text, calls: [{ name, arguments: args }] };
}

function say(text: string): DemoStep {
	return { text, calls: [] };
}

function patch(...lines: readonly string[]): string {
	return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}
