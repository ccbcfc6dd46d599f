import assert from "node:assert/strict";
import { test } from "node:test";
import { runInParallel } from "../../../agent-host/session/calls/run-together.ts";

/** Ends after so many rounds of the loop, or soon after it is stopped. */
function work(rounds: number, log: string[], name: string, error?: Error) {
	return async (signal: AbortSignal): Promise<void> => {
		for (let round = 0; round < rounds && !signal.aborted; round += 1) await new Promise(setImmediate);
		await new Promise(setImmediate);
		log.push(`${name} ${signal.aborted ? "was stopped" : "ended"}`);
		if (error !== undefined && !signal.aborted) throw error;
	};
}

test("all tasks run at the same time and are waited for", async () => {
	const log: string[] = [];
	await runInParallel([work(9, log, "slow"), work(1, log, "quick")], new AbortController().signal);
	assert.deepEqual(log, ["quick ended", "slow ended"]);
});

test("the first failure stops the others, and is thrown when none of them runs any more", async () => {
	const log: string[] = [];
	const first = new Error("first");
	const late = async (signal: AbortSignal): Promise<void> => {
		await work(1_000, log, "late")(signal);
		throw new Error("second");
	};
	const together = runInParallel(
		[work(1_000, log, "slow"), work(2, log, "bad", first), late],
		new AbortController().signal,
	);
	await assert.rejects(together, first);
	assert.deepEqual(log.toSorted(), ["bad ended", "late was stopped", "slow was stopped"]);
});

test("stopping waits until all tasks have stopped, even if it came before they began", async () => {
	for (const when of ["before", "after"] as const) {
		const log: string[] = [];
		const stop = new AbortController();
		if (when === "before") stop.abort();
		const together = runInParallel([work(1_000, log, "one"), work(1_000, log, "other")], stop.signal);
		if (when === "after") setImmediate(() => stop.abort());
		await together;
		assert.deepEqual(log, ["one was stopped", "other was stopped"]);
	}
});
