import assert from "node:assert/strict";
import { test } from "node:test";
import { usePages } from "../page/open-page.ts";
import { SCRIPT_TEXTS } from "../support/vectors.ts";
import { batchesOf, messagesFor, openFolds, streamTexts } from "./full-thread.ts";
import { NO_HARM, openWatched } from "./watched-page.ts";

/** Steps through the corpus that share no divisor with its wrappings or its scripts: some of each take part. */
const [SHOWN_STEP, STREAMED_STEP] = process.env.VITRINE_FULL === "1" ? [1, 11] : [11, 35];
const SHOWN = SCRIPT_TEXTS.filter((_, index) => index % SHOWN_STEP === 0);
const STREAMED = SCRIPT_TEXTS.filter((_, index) => index % STREAMED_STEP === 0);

const pages = usePages();

test("no script of the corpus runs or draws anything in any place, nor while some arrive character by character", async () => {
	const watched = await openWatched(pages);
	for (const { texts } of batchesOf(() => SHOWN, SHOWN.length)) {
		await watched.page.tell(...messagesFor(texts));
		await openFolds(watched.page);
		assert.equal(await watched.page.tab.locator("[data-kind=turnEnd]").count(), 2 * texts("error").length);
	}
	await streamTexts(watched.page, "agentMessage", STREAMED);
	assert.deepEqual(await watched.findHarm(), NO_HARM);
});
