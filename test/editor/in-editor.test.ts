import assert from "node:assert/strict";
import { test } from "node:test";
import { buildInEditor } from "../support/build-in-editor.ts";
import { runInHost } from "../support/editor-in-host.ts";
import { packExtension } from "../support/pack.ts";
import { type CaseResult, TITLES } from "./in-editor/report.ts";

/** All of them run in one editor, with the first test that asks. */
let running: Promise<readonly CaseResult[]> | undefined;

for (const title of TITLES) {
	test(`inside the extension host: ${title}`, async () => {
		running ??= runAll();
		const result = (await running).find((one) => one.title === title);
		assert.ok(result, "it was not run");
		if (result.problem !== undefined) assert.fail(result.problem);
	});
}

async function runAll(): Promise<readonly CaseResult[]> {
	return runInHost(packExtension(), await buildInEditor());
}
