import { noteWait } from "./waits.ts";

/**
 * Fails with `what` when `promise` has not settled in time, so that a broken test ends with a reason. With `lastSign`, the time is counted
 * from the last sign that it is still being worked on: a busy machine may take long for much.
 */
export async function within<T>(
	promise: Promise<T>,
	milliseconds: number,
	what: () => string,
	lastSign: () => number = () => 0,
): Promise<T> {
	const start = performance.now();
	const late = Promise.withResolvers<never>();
	const giveUp = () => {
		const left = lastSign() + milliseconds - performance.now();
		if (left > 0) timer = setTimeout(giveUp, left);
		else late.reject(new Error(`${what()} (not within ${milliseconds} ms)`));
	};
	let timer = setTimeout(giveUp, milliseconds);
	try {
		return await Promise.race([promise, late.promise]);
	} finally {
		noteWait(what, performance.now() - start);
		clearTimeout(timer);
	}
}
