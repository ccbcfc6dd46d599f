import assert from "node:assert/strict";
import { test } from "node:test";
import { exactTimeOf } from "../../../../../l10n/t.ts";
import { describeElapsed, describeProgress } from "../../../../../media/model/thread/progress.ts";

const running = { turnId: "t", since: 0, steps: 0, retries: 0 };

const idle = { running, approvals: [], questions: [], compacting: undefined, entries: [] };

test("waiting for the model is shown after five seconds of silence, with a warning after a minute", () => {
	const after = (ms: number) => describeProgress(idle, 1_000, 1_000 + ms);
	assert.deepEqual(after(4_999), { text: "Working", look: "working" });
	assert.deepEqual(after(5_000), { text: "Waiting for the model", look: "working" });
	assert.deepEqual(after(61_000), { text: "No response for 1 min 1 s", look: "silent" });
});

test("a running call is named and does not count as the model's silence", () => {
	const call = { kind: "toolCall", status: "running", title: `Run make all\n${"x".repeat(100)}` } as never;
	const progress = describeProgress({ ...idle, entries: [call] }, 0, 90_000);
	assert.deepEqual(progress, { text: "Run make all", look: "working" });
});

test("a turn that takes long says how many steps and minutes it has been working", () => {
	const after = (ms: number, steps: number) => describeElapsed({ since: 1_000, steps }, 1_000 + ms);
	assert.equal(after(59_000, 7), "59 s");
	assert.equal(after(60_000, 1), "Still working: 1 step, 1 minute");
	assert.equal(after(72 * 60_000 + 5_000, 1_041), "Still working: 1,041 steps, 72 minutes");
	assert.equal(after(90_000, 0), "1 min 30 s");
});

test("a question about how to go on waits for the user", () => {
	const asked = { request: {} } as never;
	assert.deepEqual(describeProgress({ ...idle, questions: [asked] }, 0, 0), {
		text: "Waiting for you",
		look: "question",
	});
	const ofAgent = { request: { agent: { parent: "t", name: "builder", role: "implement" } } } as never;
	const call = { kind: "toolCall", status: "running", title: "Wait for agents" } as never;
	assert.deepEqual(describeProgress({ ...idle, approvals: [ofAgent], entries: [call] }, 0, 90_000), {
		text: "Agent builder needs your answer",
		look: "agent",
	});
	assert.equal(describeProgress({ ...idle, approvals: [ofAgent], questions: [asked] }, 0, 0).look, "question");
});

test("a rate limit is counted down in whole seconds to the time of the next attempt, and silence counts from its end", () => {
	const retrying = {
		...idle,
		running: { ...running, retry: { at: 20_000, code: "rate-limit", reason: "Slow down." } },
	} as const;
	assert.deepEqual(describeProgress(retrying, 0, 8_500), {
		text: `Rate limited. Retrying in 12 s, at ${exactTimeOf(20_000)}`,
		look: "countdown",
	});
	assert.equal(describeProgress(retrying, 0, 24_000).text, "Working");
	assert.equal(describeProgress(retrying, 0, 25_000).text, "Waiting for the model");
});
