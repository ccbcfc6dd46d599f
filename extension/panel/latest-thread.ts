import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { type ThreadSummary, threadList } from "../../agent-host/protocol/thread/thread.ts";
import type { PanelState } from "../../media/wire.ts";
import type { HostClient } from "../host/host-client.ts";

/** Among so many of the newest threads one of this folder is looked for. */
const MAX_LOOKED_AT = 100;

/** The thread that one would go on with, while the chat shows none. The host is never started for this. */
export async function readLatestThread(
	host: Pick<HostClient, "state" | "request">,
	shown: ThreadId | undefined,
	folder: string | undefined,
): Promise<Pick<PanelState, "latest">> {
	if (shown !== undefined || host.state().state !== "ready") return {};
	// Without the list there is one suggestion less; whoever opens the view of the threads is told why.
	const { threads } = await host.request(threadList, { limit: MAX_LOOKED_AT }).catch(() => ({ threads: [] }));
	const latest = findLatest(threads, folder);
	return latest === undefined
		? {}
		: { latest: { threadId: latest.threadId, title: latest.title, at: latest.updatedAt } };
}

/** The newest one that worked in this folder and holds a turn. */
export function findLatest(threads: readonly ThreadSummary[], folder: string | undefined): ThreadSummary | undefined {
	return threads
		.filter(({ cwd, turns, archived }) => cwd === folder && turns > 0 && !archived)
		.reduce<ThreadSummary | undefined>(
			(best, one) => (best && best.updatedAt >= one.updatedAt ? best : one),
			undefined,
		);
}
