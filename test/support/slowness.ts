import { spawn } from "node:child_process";
import { once } from "node:events";

/** What Node takes to start and end with nothing to do, on a machine with nothing else to do. */
const START_MS = 40;
const STARTS = 3;

/**
 * How many times longer than on a quiet machine things take now, by starts of Node; at least 1. For limits of what cannot be
 * watched closely, such as an editor and its browser: what slows down one slows down the other.
 */
export async function measureSlowness(): Promise<number> {
	const begin = performance.now();
	for (let count = 0; count < STARTS; count += 1) {
		await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit");
	}
	return Math.max(1, (performance.now() - begin) / STARTS / START_MS);
}
