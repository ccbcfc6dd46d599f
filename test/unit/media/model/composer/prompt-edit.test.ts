import assert from "node:assert/strict";
import { test } from "node:test";
import { AThread } from "../../../../page/a-thread.ts";
import { aPage } from "../a-page.ts";

test("an edited prompt on its way stays open until the answer, whatever is pressed, and does not come back as a draft", () => {
	const thread = new AThread().turn().ask("first").answer("one").end().turn().ask("second").answer("two").end();
	for (const press of ["Cancel", "Edit another"]) {
		const { page, takePosted, load } = aPage();
		load("a", thread);
		const { edit } = page.composer;
		edit.begin({ turnId: "turn-1", text: "first" });
		edit.type("first, better");
		edit.send();
		const [sent] = takePosted();
		assert.ok(sent?.type === "resend");
		if (press === "Cancel") edit.cancel();
		else edit.begin({ turnId: "turn-2", text: "second" });
		const event = { type: "rolledBack", turnIds: ["turn-1", "turn-2"], files: [] } as never;
		page.receive({
			type: "events",
			threadId: "a",
			events: [{ seq: thread.events.length + 1, at: 0, event }],
			loading: false,
		});
		assert.equal(page.composer.draft.value, "", press);
		page.receive({ type: "submitted", id: sent.id, problem: "The disk is full." });
		assert.deepEqual(edit.open.value, { turnId: "turn-1", text: "first, better", problem: "The disk is full." }, press);
		edit.cancel();
		assert.equal(edit.open.value, undefined);
	}
});

test("a prompt that is being edited is left with its thread, also on its way", () => {
	const { page, load } = aPage();
	load("a", new AThread().turn().ask("first").answer("one").end());
	const { edit } = page.composer;
	edit.begin({ turnId: "turn-1", text: "first" });
	edit.send();
	load("b", new AThread().turn().ask("other").answer("one").end());
	assert.equal(edit.open.value, undefined);
});
