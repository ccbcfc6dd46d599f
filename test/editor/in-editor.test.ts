import assert from "node:assert/strict";
import { test } from "node:test";
import { launchBrowser } from "../support/browser.ts";
import { buildInEditor } from "../support/build-in-editor.ts";
import { runInHost } from "../support/editor-in-host.ts";
import { packExtension } from "../support/pack.ts";

test("inside the extension host", async (t) => {
	const browser = await launchBrowser();
	try {
		const results = await runInHost(browser, packExtension(), await buildInEditor());
		assert.notEqual(results.length, 0);
		for (const { title, problem } of results) {
			await t.test(title, () => {
				if (problem !== undefined) assert.fail(problem);
			});
		}
	} finally {
		await browser.close();
	}
});
