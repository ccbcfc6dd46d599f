import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type * as Shown from "../../../../extension/facts/show-message.ts";
import { PROJECT } from "../../../support/editor-paths.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

const FILE = "extension/facts/show-message.ts";

/** Text that the editor turns into a link, in notifications and below inputs (its `linkedText.ts`). */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;

const HOSTILE = "[Show details](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22id%5Cn%22%7D)";

test("no file name or server answer becomes a link in a message, where one click would run a command", async () => {
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

test("a modal question is asked once however often its row is clicked, and again after its answer", async () => {
	const asked: PromiseWithResolvers<string | undefined>[] = [];
	const ask = () => {
		const answer = Promise.withResolvers<string | undefined>();
		asked.push(answer);
		return answer.promise;
	};
	const { showInformation, showWarning } = await loadOverPaper<typeof Shown>([FILE], {
		window: { showInformationMessage: ask, showWarningMessage: ask },
	});
	const where = (title: string) => showInformation(`Where does “${title}” open?`, { modal: true }, "Here");
	const [first, second, other] = [where("one"), where("one"), where("another")];
	assert.equal(await second, undefined);
	assert.equal(asked.length, 2);
	asked[0]?.resolve("Here");
	asked[1]?.resolve(undefined);
	assert.deepEqual([await first, await other], ["Here", undefined]);
	const again = where("one");
	asked[2]?.reject(new Error("The window closes."));
	await assert.rejects(async () => again);
	void where("one");
	assert.equal(asked.length, 4);
	// A message that covers nothing is shown each time.
	void showWarning("The host ended.", "Restart");
	void showWarning("The host ended.", "Restart");
	assert.equal(asked.length, 6);
});

test("every message of the extension is shown by the one file that takes links out of it", () => {
	const showing = globSync("extension/**/*.ts", { cwd: PROJECT }).filter((file) =>
		/\bshow(?:Information|Warning|Error)Message\b/.test(readFileSync(join(PROJECT, file), "utf8")),
	);
	assert.deepEqual(showing, [FILE]);
});

test("text of a server or a workspace is no link below an input, either", async () => {
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
