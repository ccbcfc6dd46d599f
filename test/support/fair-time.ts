import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { noteWait } from "./waits.ts";

/** What Node takes to start and end with nothing to do, on a machine with nothing else to do. */
const START_MS = 40;
const LOOK_MS = 10;

/**
 * Waits until something holds, and fails when it takes longer than `milliseconds` would be on a quiet machine. They are counted in starts
 * of Node, one after the other, since what slows down these slows down just as much what is waited for.
 */
export async function inFairTime(holds: () => boolean, milliseconds: number, what: () => string): Promise<void> {
	const start = performance.now();
	await waitFairly(holds, milliseconds, what);
	noteWait(what, performance.now() - start);
}

async function waitFairly(holds: () => boolean, milliseconds: number, what: () => string): Promise<void> {
	// Most waits end before the clock has to be wound up.
	const quiet = performance.now() + milliseconds / 4;
	do {
		if (holds()) return;
		await pause(LOOK_MS);
	} while (performance.now() < quiet);
	for (let starts = Math.ceil(milliseconds / START_MS); starts > 0; starts -= 1) {
		if (await holdsBeforeStart(holds)) return;
	}
	throw new Error(`${what()} (not within ${milliseconds} ms, stretched by the load of this machine)`);
}

/** The same for something that settles. */
export async function settlesInFairTime<T>(promise: Promise<T>, milliseconds: number, what: () => string): Promise<T> {
	let isSettled = false;
	const settle = () => {
		isSettled = true;
	};
	promise.then(settle, settle);
	await inFairTime(() => isSettled, milliseconds, what);
	return promise;
}

/** True as soon as it holds, false when Node has started and ended meanwhile. */
async function holdsBeforeStart(holds: () => boolean): Promise<boolean> {
	const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore" });
	const ended = once(child, "exit").then(() => "ended" as const);
	while (!holds()) {
		if ((await Promise.race([ended, pause(LOOK_MS)])) === "ended") return holds();
	}
	child.kill("SIGKILL");
	await ended;
	return true;
}
