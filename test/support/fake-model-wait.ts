import { measureSlowness } from "./slowness.ts";
import { noteWait } from "./waits.ts";

/**
 * Fails with `what` when `promise` has not settled in time, so that a broken test ends with a reason. The limit is one of a quiet
 * machine; a busy one gets as much more time as it is slower.
 */
export async function within<T>(promise: Promise<T>, milliseconds: number, what: () => string): Promise<T> {
	const start = performance.now();
	const late = Promise.withResolvers<never>();
	const giveUp = () => late.reject(new Error(`${what()} (not within ${milliseconds} ms of a quiet machine)`));
	let isOver = false;
	let timer = setTimeout(async () => {
		const more = milliseconds * ((await measureSlowness()) - 1);
		if (!isOver) timer = setTimeout(giveUp, more);
	}, milliseconds);
	try {
		return await Promise.race([promise, late.promise]);
	} finally {
		isOver = true;
		noteWait(what, performance.now() - start);
		clearTimeout(timer);
	}
}
