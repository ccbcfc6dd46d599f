import assert from "node:assert/strict";
import { test } from "node:test";
import { AThread } from "../../../../page/a-thread.ts";
import { scopesIn } from "./a-scope.ts";
import { aTranscript } from "./a-transcript.ts";

test("turns that were rolled back leave the transcript, and the world is told again", () => {
	const told = { type: "contextUpdated" as const, fragments: [] };
	const thread = new AThread().turn().add(told).ask("one").answer("1").end();
	thread.turn().add(told).ask("two").answer("2").end().turn().ask("three").end();
	const turnIds = ["turn-2", "turn-3"] as never[];
	thread.add({ type: "rolledBack", turnIds }).turn().add(told).ask("four");
	assert.deepEqual(
		aTranscript(thread).entries.flatMap((entry) => ("text" in entry ? entry.text : scopesIn(entry))),
		["one", "1", "all", "all", "four"],
	);
});

test("the first thing told to the model is the world, and after that its changes", () => {
	const told = { type: "contextUpdated" as const, fragments: [] };
	const thread = new AThread().turn().add(told).turn().add(told);
	assert.deepEqual(
		aTranscript(thread).entries.map((entry) => "scope" in entry && entry.scope),
		["all", "changes"],
	);
});
