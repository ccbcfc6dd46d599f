import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEditorSession } from "../support/editor-session.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { refuses, says } from "../support/fake-model-steps.ts";
import { copySample } from "../support/sample.ts";

const WRONG_KEY = "sk-wrong-canary-1f6c0d5ba9";
const RIGHT_KEY = "sk-right-canary-7e2b94c3d8";

const session = createEditorSession({ settings: { "security.workspace.trust.enabled": false } });

session.test("a wrong key is explained, a right one works, and neither is ever written to a file", async (desk) => {
	const model = await startFakeModel((request) =>
		request.headers.authorization === `Bearer ${RIGHT_KEY}`
			? says("The right key opens the door.")
			: refuses(401, "invalid_api_key", "Incorrect API key provided: {key}."),
	);
	desk.defer(() => model.stop());
	const window = await desk.open({ folder: copySample(desk.editor.root) });
	await window.command("Vitrine: Open Chat");
	const chat = await window.chat();

	await setUpServer(window, model.baseUrl, WRONG_KEY);
	await chat.banner("demo").waitFor({ state: "detached" });
	await chat.ask("Is anybody there?");
	await chat.waitForEnd();
	const failure = chat.rows("turnEnd");
	await failure.getByRole("button", { name: "Set Up Model" }).waitFor();
	assert.match(await failure.innerText(), /key/i);
	assert.doesNotMatch(await chat.frame.locator("body").innerText(), /canary/);

	await setUpServer(window, model.baseUrl, RIGHT_KEY);
	await chat.retry.click();
	await chat.rows("agentMessage").filter({ hasText: "opens the door" }).waitFor();
	await chat.waitForEnd();
	const sent = [...model.requests, ...model.others].map(({ headers }) => headers.authorization);
	assert.deepEqual(new Set(sent), new Set([`Bearer ${WRONG_KEY}`, `Bearer ${RIGHT_KEY}`]));
	assert.equal(model.requests.at(-1)?.headers.authorization, `Bearer ${RIGHT_KEY}`);

	const written = readTree(desk.editor.root);
	assert.ok(written.some(({ path }) => path.endsWith("User/settings.json")));
	assert.deepEqual(
		written.filter(({ text }) => text.includes(WRONG_KEY) || text.includes(RIGHT_KEY)).map(({ path }) => path),
		[],
	);
	assert.doesNotMatch(desk.editor.logs(), /canary/);
});

/** Goes through the steps of the command as a person does. */
async function setUpServer(window: EditorWindow, baseUrl: string, key: string): Promise<void> {
	await window.command("Vitrine: Set Up Model…");
	await window.quickPick("OpenAI-compatible server").click();
	await window.answer("Address", baseUrl);
	await window.answer("API Key", key);
	await window.quickPick("fake-1").click();
	await window.quickInput.waitFor({ state: "hidden" });
}

function readTree(folder: string): readonly { readonly path: string; readonly text: string }[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.map((path) => ({ path, text: readFileSync(path, "latin1") }));
}
