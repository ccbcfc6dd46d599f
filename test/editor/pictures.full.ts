// Pictures of the whole window for the README; those of the panel alone are taken by test/page/pictures.test.ts.
// Only with `npm test -- editor --full`; with VITRINE_PICTURES set, the ones in docs/pictures are taken again.
import { join } from "node:path";
import { test } from "node:test";
import type { Desk } from "../support/editor-desk.ts";
import { PROJECT, pictureFile } from "../support/editor-paths.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aPatch } from "../support/patch-files.ts";
import { copySample } from "../support/sample.ts";

const THEMES = { light: "Default Light Modern", dark: "Default Dark Modern" } as const;
type Look = keyof typeof THEMES;

const session = createEditorSession();
for (const look of Object.keys(THEMES) as Look[]) {
	const withPicture = session.alone((desk) => takePicture(desk, look));
	const withPreview = session.alone((desk) => takePreview(desk, look));
	test(`an answer and its pending changes in the whole window: ${look}`, withPicture);
	test(`a compaction preview: ${look}`, withPreview);
}

const PATCH = aPatch(
	...["*** Update File: src/basket.js", "@@"],
	"-	return pieces > DISCOUNT_FROM ? full - Math.round((full * DISCOUNT_PERCENT) / 100) : full;",
	"+	return pieces >= DISCOUNT_FROM ? full - Math.round((full * DISCOUNT_PERCENT) / 100) : full;",
);
const ANSWER =
	"The discount was to begin **with** the tenth piece, but `src/basket.js:21` asked for more than ten. It now counts the tenth piece as well.\n\n| apples | before | after |\n| -: | -: | -: |\n| 10 | 3.50 | 3.15 |\n| 11 | 3.47 | 3.47 |";

async function takePicture(desk: Desk, look: Look): Promise<void> {
	const settings = {
		"security.workspace.trust.enabled": false,
		"workbench.colorTheme": THEMES[look],
	};
	const { window, chat, play } = await openThread(desk, { folder: copySample(desk.editor.root) }, settings);
	play(calls("apply_patch", { patch: PATCH }), says(ANSWER));
	await chat.ask("Why does the receipt show no discount for ten apples?");
	await chat.waitForEnd();
	await window.command("Vitrine: Review Pending Changes");
	const diff = window.page.locator(".part.editor .multiDiffEntry");
	await until("the diff is drawn", async () => (await diff.count()) === 1);
	await chat.frame.locator('[data-bar="changes"]').getByText("1 pending change in 1 file").waitFor();
	await window.page.screenshot({ path: fileFor("window", look) });
}

const SUMMARY = JSON.stringify({
	intent_user_message: [
		...["<VERBATIM_REQUEST_START>", "Why is there no discount for ten apples?", "<VERBATIM_REQUEST_END>"],
		...["<RECENT_USER_CONTEXT_START>", "Why is there no discount for ten apples?", "<RECENT_USER_CONTEXT_END>"],
	].join("\n"),
	summary:
		"The discount begins with the eleventh piece: src/basket.js compares with > and not >=.\nRESUME_AT: change line 21",
});

async function takePreview(desk: Desk, look: Look): Promise<void> {
	const settings = { "security.workspace.trust.enabled": false, "workbench.colorTheme": THEMES[look] };
	const { window, chat, play } = await openThread(desk, { folder: copySample(desk.editor.root) }, settings);
	play(says(ANSWER), says(SUMMARY));
	await chat.ask("Why is there no discount for ten apples?");
	await chat.waitForEnd();
	await window.command("Vitrine: Compact Conversation with Preview…");
	await window.answer("Compact Conversation with Preview", "");
	await window.page.locator(".part.editor .monaco-editor", { hasText: "Compaction preview" }).waitFor();
	await window.page.screenshot({ path: fileFor("preview", look) });
}

function fileFor(what: "window" | "preview", look: Look): string {
	if (process.env.VITRINE_PICTURES === undefined) return pictureFile(`${what} ${look}`);
	return join(PROJECT, "docs/pictures", `${what}-${look}.png`);
}
