import assert from "node:assert/strict";
import { test } from "node:test";
import { describeWork } from "../../../../extension/views/work-words.ts";

test("the status bar shows what needs the user, else what runs, else what ended unseen, else nothing", () => {
	const say = (approvals: number, running: number, ended?: "done" | "failed", questions = 0) =>
		describeWork({ approvals, questions, running, ended })?.text;
	assert.equal(say(1, 1, "done", 2), "$(bell-dot) 3 answers needed");
	assert.equal(say(0, 1, "done", 1), "$(bell-dot) 1 answer needed");
	assert.equal(say(2, 1, "done"), "$(bell-dot) 2 approvals needed");
	assert.equal(say(0, 1, "failed"), "$(loading~spin) Vitrine: Working");
	assert.equal(say(0, 0, "failed"), "$(error) Vitrine: Failed");
	assert.equal(say(0, 0, "done"), "$(check) Vitrine: Done");
	assert.equal(say(0, 0), undefined);
});
