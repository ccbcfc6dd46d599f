import type { ThreadId } from "../../protocol/ids.ts";

/** More than a host has open at once. */
const MAX_THREADS = 64;

/** Something for each thread, made when it is first needed, and forgotten for those that were not needed for longest. */
export function byThread<T>(make: (threadId: ThreadId) => T): (threadId: ThreadId) => T {
	const known = new Map<ThreadId, T>();
	return (threadId) => {
		const one = known.get(threadId) ?? make(threadId);
		known.delete(threadId);
		known.set(threadId, one);
		const [oldest] = known.keys();
		if (known.size > MAX_THREADS && oldest !== undefined) known.delete(oldest);
		return one;
	};
}
