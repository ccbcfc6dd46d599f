import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createFramePace } from "../../../../media/browser/frame-pace.ts";

/** A browser whose frames come when a test says so, and whose clock moves only while it draws. */
function aBrowser(t: TestContext) {
	let now = 0;
	const frames: (() => void)[] = [];
	const afterPaint: (() => void)[] = [];
	const { requestAnimationFrame, MessageChannel } = globalThis;
	t.after(() => Object.assign(globalThis, { requestAnimationFrame, MessageChannel }));
	class Channel {
		readonly port1 = { onmessage: () => undefined, close: () => undefined };
		readonly port2 = { postMessage: () => afterPaint.push(() => this.port1.onmessage()) };
	}
	Object.assign(globalThis, { requestAnimationFrame: (run: () => void) => frames.push(run), MessageChannel: Channel });
	t.mock.method(performance, "now", () => now);
	t.mock.timers.enable({ apis: ["setTimeout"] });
	return {
		/** The next frame, whose drawing and painting takes so long. Says whether anything is drawn in it. */
		frame: (takesMs: number): boolean => {
			const due = frames.splice(0);
			for (const run of due) run();
			if (due.length > 0) now += takesMs;
			for (const run of afterPaint.splice(0)) run();
			return due.length > 0;
		},
		pass: (ms: number): void => {
			now += ms;
			t.mock.timers.tick(ms);
		},
	};
}

test("after a costly frame the page rests for twice as long before the next, and after a cheap one not at all", (t) => {
	const { frame, pass } = aBrowser(t);
	const beforePaint = createFramePace();
	const drawn: string[] = [];
	const draw = (name: string) => beforePaint(() => drawn.push(name));
	draw("cheap");
	assert.ok(frame(8));
	draw("costly");
	assert.ok(frame(50));
	draw("after a rest");
	pass(99);
	assert.equal(frame(1), false);
	pass(1);
	assert.ok(frame(1));
	assert.deepEqual(drawn, ["cheap", "costly", "after a rest"]);
});

test("a rest lasts half a second at most", (t) => {
	const { frame, pass } = aBrowser(t);
	const beforePaint = createFramePace();
	beforePaint(() => undefined);
	frame(5_000);
	beforePaint(() => undefined);
	pass(500);
	assert.ok(frame(1));
});
