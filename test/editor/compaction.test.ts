import assert from "node:assert/strict";
import { createEditorSession } from "../support/editor-session.ts";
import { startFakeModel } from "../support/fake-model.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { says } from "../support/fake-model-steps.ts";
import { copySample } from "../support/sample.ts";

const session = createEditorSession();

/** Short enough that the prompt above it stays in view. */
const STORY = `A long story about pears. ${"And then some more of it. ".repeat(8)}`;
const SUMMARY = JSON.stringify({
	intent_user_message: [
		"<VERBATIM_REQUEST_START>",
		"first",
		"<VERBATIM_REQUEST_END>",
		"<RECENT_USER_CONTEXT_START>",
		"first\n\nsecond",
		"<RECENT_USER_CONTEXT_END>",
	].join("\n"),
	summary: "A story was told.\nRESUME_AT: tell the next one",
});

session.test("a compaction is looked at, changed, applied and undone from the palette", async (desk) => {
	const model = await startFakeModel((request, index) =>
		says(request.text.includes("<compaction_request>") ? SUMMARY : index < 2 ? STORY : "Short."),
	);
	desk.defer(() => model.stop());
	desk.editor.writeUserSettings({
		"security.workspace.trust.enabled": false,
		"vitrine.model.provider": "compatible",
		"vitrine.model.baseUrl": model.baseUrl,
		"vitrine.model.id": "fake-1",
		"vitrine.model.contextWindow": 200_000,
	});
	const window = await desk.open({ folder: copySample(desk.editor.root) });
	await window.command("Vitrine: Open Chat");
	const chat = await window.chat();
	const sentFor = async (prompt: string): Promise<string> => {
		const before = model.requests.length;
		await chat.ask(prompt);
		const request: RecordedRequest = await model.requestNumber(before + 1);
		await chat.waitForEnd();
		return JSON.stringify(request.body);
	};
	await sentFor("first");
	await sentFor("second");
	const card = chat.frame.locator('[data-kind="contextCompaction"]').last();

	// Before the one with a preview: the palette offers first what was run last.
	await window.command("Vitrine: Compact Conversation");
	await card.getByText("Compacted 2 turns").waitFor();
	await window.screenshot("compaction at once");
	await window.command("Vitrine: Undo Last Compaction");
	await card.getByText("Compaction undone").waitFor();
	await window.command("Notifications: Clear All Notifications");

	await window.command("Vitrine: Compact Conversation with Preview…");
	await window.answer("Compact Conversation with Preview", "");
	const page = window.page.locator(".part.editor .monaco-editor", { hasText: "Compaction preview" });
	await page.waitFor();
	await window.screenshot("compaction preview");
	await page.getByText("RESUME_AT").click();
	for (const key of ["Home", "Enter", "ArrowUp"]) await window.page.keyboard.press(key);
	await window.page.keyboard.type("It was about pears and plums.");
	await window.command("Vitrine: Apply Compaction");
	await page.waitFor({ state: "detached" });
	await card.getByText("Compacted 2 turns").waitFor();
	await window.screenshot("compaction applied");

	await window.command("Notifications: Clear All Notifications");
	const compacted = await sentFor("third");
	assert.match(compacted, /pears and plums/);
	assert.doesNotMatch(compacted, /A long story about pears/);
	await window.command("Vitrine: Undo Last Compaction");
	// What the editor says about it may lie over the button.
	await window.command("Notifications: Clear All Notifications");
	await card.getByText("Compaction undone").waitFor();
	await window.screenshot("compaction undone");
	assert.match(await sentFor("fourth"), /A long story about pears/);
	assert.deepEqual(window.pageErrors, []);
});
