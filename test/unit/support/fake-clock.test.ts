import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../support/fake-clock.ts";

test("timers run in order of time, including one set by another timer", () => {
	const clock = createFakeClock(1_000);
	const seen: string[] = [];
	const note = (name: string) => () => void seen.push(`${name} at ${clock.now()}`);
	clock.setTimer(50, note("late"));
	clock.setTimer(20, () => {
		note("early")();
		clock.setTimer(10, note("nested"));
	});
	clock.setTimer(30, note("cancelled"))();
	clock.setTimer(61, note("beyond"));
	clock.advance(60);
	assert.deepEqual([seen, clock.now(), clock.waiting], [["early at 1020", "nested at 1030", "late at 1050"], 1_060, 1]);
});

test("setting the clock changes the time but not when timers are due", () => {
	const clock = createFakeClock(1_000);
	let runs = 0;
	clock.setTimer(10, () => {
		runs += 1;
	});
	clock.set(0);
	assert.equal(runs, 0);
	clock.advance(10);
	assert.deepEqual([runs, clock.now()], [1, 10]);
});

test("a pause ends with its time or with its signal", async () => {
	const clock = createFakeClock();
	const controller = new AbortController();
	const done = clock.pause(5, controller.signal);
	clock.advance(5);
	await done;
	const stopped = clock.pause(5, controller.signal);
	controller.abort(new Error("enough"));
	await assert.rejects(stopped, /enough/);
	assert.equal(clock.waiting, 0);
});
