import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import type { LiveThread } from "./live-thread.ts";

/** Does what must not meet a turn: it is refused if one runs or starts, and none begins before it is done. */
export async function whileIdle<T>(
	thread: LiveThread,
	work: () => Promise<T>,
	refuse: () => HostError = () => new HostError("turn-in-progress", say("turn-runs-before-back")),
): Promise<T> {
	if (thread.refusal !== undefined) throw thread.refusal;
	while (thread.reserved !== undefined) await thread.reserved;
	if (thread.running !== undefined || thread.isStarting) throw refuse();
	const { promise, resolve } = Promise.withResolvers<void>();
	thread.reserved = promise;
	try {
		return await work();
	} finally {
		thread.reserved = undefined;
		resolve();
	}
}
