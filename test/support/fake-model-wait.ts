import { noteWait } from "./waits.ts";

/** Fails with `what` when `promise` has not settled in time, so that a broken test ends with a reason. */
export async function within<T>(promise: Promise<T>, milliseconds: number, what: () => string): Promise<T> {
	const start = performance.now();
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error(`${what()} (not within ${milliseconds} ms)`)), milliseconds);
	try {
		return await Promise.race([promise, late.promise]);
	} finally {
		noteWait(what, performance.now() - start);
		clearTimeout(timer);
	}
}
