import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Wait, waitUntilQuiet } from "../../../../extension/language/wait-until-quiet.ts";
import { createFakeClock, type FakeClock } from "../../../support/fake-clock.ts";

const LIMITS = { limitMs: 3_300, quietMs: 300, maxQuietMs: 1_500, silentMs: 1_000, answers: 5 };
const TICK_MS = 5;

/** How a server works: like TypeScript's, one thing at a time, and questions before the next step of a check. */
interface Work {
	/** From the change until it begins to check. */
	readonly delayMs: number;
	readonly stepsMs: readonly number[];
	readonly answerMs: number;
	/** The steps after which it reports; none if it has nothing new to say. */
	readonly reports?: readonly number[];
}

interface Server {
	readonly ask: Wait["ask"];
	readonly onReport: (listener: () => void) => () => void;
	readonly hasReported: () => boolean;
	/** It has nothing more to report. */
	readonly hasReportedAll: () => boolean;
	readonly isBusy: () => boolean;
}

function startServer(clock: FakeClock, { delayMs, stepsMs, answerMs, reports = [] }: Work): Server {
	const listeners = new Set<() => void>();
	const questions: (() => void)[] = [];
	const steps = stepsMs.map((ms, index) => ({ ms, reports: reports.includes(index) }));
	let [busy, hasBegun, reported] = [false, false, false];
	const work = (ms: number, done: () => void): void => {
		busy = true;
		clock.setTimer(ms, () => {
			busy = false;
			done();
			next();
		});
	};
	let working: (typeof steps)[number] | undefined;
	const runStep = (): void => {
		const step = hasBegun ? steps.shift() : undefined;
		if (step === undefined) return;
		working = step;
		work(step.ms, () => {
			working = undefined;
			if (!step.reports) return;
			reported = true;
			for (const listener of listeners) listener();
		});
	};
	const next = (): void => {
		if (busy) return;
		const question = questions.shift();
		if (question === undefined) runStep();
		else
			work(answerMs, () => {
				question();
				// A repeated question comes after the next step has begun.
				if (!busy) runStep();
			});
	};
	clock.setTimer(delayMs, () => {
		hasBegun = true;
		next();
	});
	return {
		ask: () =>
			new Promise<void>((resolve) => {
				questions.push(resolve);
				next();
			}),
		onReport: (listener) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		hasReported: () => reported,
		hasReportedAll: () => !steps.some((step) => step.reports) && !working?.reports,
		isBusy: () => busy || steps.length > 0,
	};
}

/** Waits for a server, and returns for how long. */
async function waitFor(
	work: Work,
	change: Partial<Wait> = {},
): Promise<{ readonly ms: number; readonly server: Server }> {
	const clock = createFakeClock(0);
	const server = startServer(clock, work);
	let isOver = false;
	const { now, setTimer } = clock;
	const wait = { ...LIMITS, isDone: server.hasReported, ask: server.ask, ...change };
	void waitUntilQuiet({ now, setTimer, onReport: server.onReport }, wait).then(() => {
		isOver = true;
	});
	while (!isOver) {
		assert.ok(now() <= LIMITS.limitMs, "it waits past its limit");
		clock.advance(TICK_MS);
		await new Promise(setImmediate);
	}
	assert.equal(clock.waiting === 0 || server.isBusy(), true, "a timer was left");
	return { ms: now(), server };
}

const QUICK = { delayMs: 300, stepsMs: [5, 40, 10], answerMs: 2 };

test("a silent server with nothing to report is waited for until it answers, not until the limit", async () => {
	const { ms } = await waitFor(QUICK);
	assert.ok(ms >= 1_300 && ms <= 1_400, `${ms} ms`);
});

test("a report ends the wait as soon as the server is quiet and has answered", async () => {
	const { ms } = await waitFor({ ...QUICK, reports: [1] });
	assert.ok(ms >= 640 && ms <= 750, `${ms} ms`);
});

test("after a report and a longer step the server is asked again, and its next report is waited for", async () => {
	const { ms, server } = await waitFor({ ...QUICK, stepsMs: [5, 1_200], reports: [0, 1] });
	assert.ok(server.hasReportedAll(), `it ended after ${ms} ms`);
});

test("a server that answers between long steps is at work, and its last report is waited for", async () => {
	const { ms, server } = await waitFor({ delayMs: 0, stepsMs: [0, 900, 900, 900], answerMs: 0, reports: [0, 3] });
	assert.ok(server.hasReportedAll(), `it ended after ${ms} ms`);
});

test("a server that has reported but does not answer is waited for a limited time longer", async () => {
	const { ms } = await waitFor({ ...QUICK, reports: [1] }, { ask: () => new Promise(() => undefined) });
	assert.ok(ms >= 2_100 && ms <= 2_250, `${ms} ms`);
	const refused = await waitFor({ ...QUICK, reports: [1] }, { ask: () => Promise.reject(new Error("none")) });
	assert.ok(refused.ms <= 750, `${refused.ms} ms`);
});

test("a silent server that does not answer, or refuses, is waited for until the limit", async () => {
	for (const ask of [() => new Promise(() => undefined), () => Promise.reject(new Error("none"))]) {
		const { ms } = await waitFor(QUICK, { ask });
		assert.ok(ms >= LIMITS.limitMs && ms < LIMITS.limitMs + 2 * TICK_MS, `${ms} ms`);
	}
	assert.ok((await waitFor(QUICK, { silentMs: undefined })).ms >= LIMITS.limitMs);
});

test("every report that comes within the limit is received, however busy the machine is", async () => {
	const loaded = fc.record({
		delayMs: fc.integer({ min: 0, max: 800 }),
		stepsMs: fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 4 }),
		answerMs: fc.integer({ min: 0, max: 50 }),
		reports: fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1 }),
	});
	let late = 0;
	await fc.assert(
		fc.asyncProperty(loaded, async (work) => {
			const { ms, server } = await waitFor(work);
			if (server.hasReportedAll()) return;
			late += 1;
			assert.ok(ms >= LIMITS.limitMs, `it gave up after ${ms} ms`);
		}),
		{ numRuns: 300 },
	);
	assert.ok(late < 150, `${late} were too late for any wait`);
});
