import { setTimeout as pause } from "node:timers/promises";
import { noteWait } from "./waits.ts";

const PAUSE_MS = 50;

/** Asks again and again until the answer is truthy. The one way to wait for what sends no event of its own. */
export async function until<T>(
	what: string,
	ask: () => T | Promise<T>,
	limitMs = 30_000,
): Promise<Exclude<T, undefined | null | false | 0 | "">> {
	const start = Date.now();
	const end = start + limitMs;
	for (;;) {
		const answer = await ask();
		if (answer) noteWait(() => what, Date.now() - start);
		// The check is what the return type says; TypeScript cannot narrow a type parameter by truth.
		if (answer) return answer as Exclude<T, undefined | null | false | 0 | "">;
		if (Date.now() > end) throw new Error(`Waited ${limitMs / 1_000} s in vain: ${what}`);
		await pause(PAUSE_MS);
	}
}
