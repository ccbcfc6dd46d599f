// Only with `npm test -- editor --full`.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Desk } from "../support/editor-desk.ts";
import { pictureFile } from "../support/editor-paths.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { says } from "../support/fake-model-steps.ts";
import { startPlanService } from "../support/plan-service.ts";
import { copySample } from "../support/sample.ts";

const THEMES = { light: "Default Light Modern", dark: "Default Dark Modern" } as const;
type Look = keyof typeof THEMES;

const session = createEditorSession();
for (const look of Object.keys(THEMES) as Look[]) {
	test(
		`setup offers ChatGPT sign-in as a preview, signs in through the browser, and the plan answers: ${look}`,
		session.alone((desk) => signIn(desk, look)),
	);
}

async function signIn(desk: Desk, look: Look): Promise<void> {
	const model = await startFakeModel(() => says("Your plan answers."));
	desk.defer(() => model.stop());
	const service = await startPlanService(() => model.baseUrl);
	desk.defer(async () => service.close());
	desk.editor.writeUserSettings({
		"security.workspace.trust.enabled": false,
		"workbench.colorTheme": THEMES[look],
		// A server on this machine stands in for OpenAI's.
		"vitrine.model.provider": "compatible",
		"vitrine.model.auth": "chatgpt",
		"vitrine.model.baseUrl": service.baseUrl,
	});
	const window = await desk.open({ folder: copySample(desk.editor.root) });
	const chat = await window.openChat();
	const take = (name: string) => window.page.screenshot({ path: pictureFile(`${name}-${look}`) });
	await window.command("Vitrine: Set Up Model…");
	await window.quickPick("ChatGPT plan (preview)").waitFor();
	await take("plan-set-up");
	await window.quickPick("ChatGPT plan (preview)").click();
	const dialog = window.page.locator(".monaco-dialog-box");
	await dialog.filter({ hasText: "Sign in with ChatGPT (preview)?" }).waitFor();
	await take("plan-dialog");
	// The page waits until the picture is taken.
	const gate = Promise.withResolvers<void>();
	service.gate = gate.promise;
	const opened = desk.context.waitForEvent("page");
	await dialog.getByRole("button", { name: "Continue with ChatGPT" }).click();
	await window.page.bringToFront();
	const waiting = window.page.locator(".quick-input-widget");
	await waiting.filter({ hasText: "Sign In with ChatGPT (Preview)" }).waitFor();
	await window.quickInput.fill("http://127.0.0.1/auth/callback?code=x&state=y");
	await window.quickInput.press("Enter");
	await waiting.filter({ hasText: "doesn't belong to this sign-in" }).waitFor();
	await take("plan-waiting");
	gate.resolve();
	// The browser tells of a page only once it has answered.
	const browser = await opened;
	await browser.getByText("You can close this page and return to the editor.").waitFor();
	await browser.close();
	await window.quickPick("gpt-6-sol").click();
	await window.quickInput.waitFor({ state: "hidden" });
	await chat.chip("model").getByText("gpt-6-sol").waitFor();
	await chat.ask("Who pays?");
	await chat.rows("agentMessage").filter({ hasText: "Your plan answers." }).waitFor();
	await chat.waitForEnd();
	await take("plan-answer");
	await window.command("Vitrine: Sign Out or Remove Key…");
	await window.quickPick(service.origin).click();
	await window.page.getByText(`Removed the credentials for ${service.origin}.`).first().waitFor();
	assert.ok(service.asked.includes("POST /revoke"));
	assert.doesNotMatch(desk.editor.logs(), /canary/);
}
