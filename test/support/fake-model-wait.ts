/** Fails with `what` when `promise` has not settled in time, so that a broken test ends with a reason. */
export async function within<T>(promise: Promise<T>, milliseconds: number, what: () => string): Promise<T> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error(`${what()} (not within ${milliseconds} ms)`)), milliseconds);
	try {
		return await Promise.race([promise, late.promise]);
	} finally {
		clearTimeout(timer);
	}
}
