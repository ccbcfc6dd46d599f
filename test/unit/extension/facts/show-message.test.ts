import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type * as Shown from "../../../../extension/facts/show-message.ts";
import { PROJECT } from "../../../support/editor-paths.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

const FILE = "extension/facts/show-message.ts";

/** What the editor makes a link of, in notifications and below inputs (its `linkedText.ts`). */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;

const HOSTILE = "[Show details](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22id%5Cn%22%7D)";

test("no name of a file and no answer of a server becomes a link in a message, where one click would run a command", async () => {
	const shown: string[] = [];
	const show = async (message: string, ...rest: readonly unknown[]) => {
		shown.push(message);
		return rest.at(-1);
	};
	const { showInformation, showWarning, showError } = await loadOverPaper<typeof Shown>([FILE], {
		window: { showInformationMessage: show, showWarningMessage: show, showErrorMessage: show },
	});
	assert.match(HOSTILE, LINK);
	assert.equal(await showInformation(`Restored ${HOSTILE}.`, "Redo"), "Redo");
	assert.equal(await showWarning(`[${HOSTILE}](https://a.test)`, { modal: true }, "Reject"), "Reject");
	await showError(HOSTILE.replace("](", "]](").replace("[Show", "[[Show"));
	for (const message of shown) assert.doesNotMatch(message, LINK);
	assert.equal(shown[0], `Restored ${HOSTILE.replace("](", "] (")}.`);
});

test("every message of the extension is shown by the one file that takes links out of it", () => {
	const showing = globSync("extension/**/*.ts", { cwd: PROJECT }).filter((file) =>
		/\bshow(?:Information|Warning|Error)Message\b/.test(readFileSync(join(PROJECT, file), "utf8")),
	);
	assert.deepEqual(showing, [FILE]);
});

test("below an input, too, the words of a server or a workspace are no link", async () => {
	const prompts: (string | undefined)[] = [];
	const { enterInput } = await loadOverPaper<typeof import("../../../../extension/views/servers/enter-input.ts")>(
		["extension/views/servers/enter-input.ts"],
		{ l10n: {}, window: { showInputBox: async ({ prompt }: { prompt?: string }) => void prompts.push(prompt) } },
	);
	const input = { id: "key", description: HOSTILE, password: true };
	await enterInput({ server: "files", place: "npx files", input } as never);
	assert.equal(prompts.length, 1);
	assert.doesNotMatch(String(prompts[0]), LINK);
});
