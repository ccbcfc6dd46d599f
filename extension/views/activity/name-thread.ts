import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import type { ThreadSummary } from "../../../agent-host/protocol/thread/thread.ts";

/** The title of a thread, or of the one that it works for as a sub-agent; undefined if it is not listed. */
export function nameThread(
	threads: readonly Pick<ThreadSummary, "threadId" | "title" | "agent">[],
	threadId: ThreadId,
): string | undefined {
	const seen = new Set<ThreadId>();
	let found = threads.find((thread) => thread.threadId === threadId);
	for (let above = found?.agent?.parent; above !== undefined && !seen.has(above); above = found?.agent?.parent) {
		seen.add(above);
		found = threads.find((thread) => thread.threadId === above) ?? found;
	}
	return found?.title;
}
