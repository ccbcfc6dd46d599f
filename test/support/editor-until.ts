import { setTimeout as pause } from "node:timers/promises";
import { measureSlowness } from "./slowness.ts";
import { noteWait } from "./waits.ts";

/** Between two looks: short at first, then longer, as each look takes time from what is waited for. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [25, 100];

/**
 * Asks again and again until the answer is truthy. The one way to wait for what sends no event of its own. The limit is one of a
 * quiet machine; a busy one gets as much more time as it is slower.
 */
export async function until<T>(
	what: string,
	ask: () => T | Promise<T>,
	limitMs = 30_000,
): Promise<Exclude<T, undefined | null | false | 0 | "">> {
	const start = Date.now();
	let end = start + limitMs;
	let isStretched = false;
	let pauseMs = FIRST_PAUSE_MS;
	for (;;) {
		const answer = await ask();
		if (answer) noteWait(() => what, Date.now() - start);
		// The check is what the return type says; TypeScript cannot narrow a type parameter by truth.
		if (answer) return answer as Exclude<T, undefined | null | false | 0 | "">;
		if (Date.now() > end && !isStretched) {
			isStretched = true;
			end = start + limitMs * (await measureSlowness());
		}
		if (Date.now() > end) throw new Error(`Waited ${Math.round((Date.now() - start) / 1_000)} s in vain: ${what}`);
		await pause(pauseMs);
		pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
	}
}
