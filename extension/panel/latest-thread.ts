import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { type ThreadSummary, threadList } from "../../agent-host/protocol/thread/thread.ts";
import type { PanelState } from "../../media/wire.ts";
import type { HostClient } from "../host/host-client.ts";

/** Number of newest threads in which to look for one of this folder. */
const MAX_LOOKED_AT = 100;

/** The thread to continue while none is open. Never starts the host. */
export async function readLatestThread(
	host: Pick<HostClient, "state" | "request">,
	shown: ThreadId | undefined,
	folder: string | undefined,
): Promise<Pick<PanelState, "latest">> {
	if (shown !== undefined || host.state().state !== "ready") return {};
	// On failure there is one suggestion less; the Threads view shows the reason.
	const { threads } = await host.request(threadList, { limit: MAX_LOOKED_AT }).catch(() => ({ threads: [] }));
	const latest = findLatest(threads, folder);
	return latest === undefined
		? {}
		: { latest: { threadId: latest.threadId, title: latest.title, at: latest.updatedAt } };
}

/** The newest thread of this folder that has a turn. */
export function findLatest(threads: readonly ThreadSummary[], folder: string | undefined): ThreadSummary | undefined {
	return threads
		.filter(({ cwd, turns, archived }) => cwd === folder && turns > 0 && !archived)
		.reduce<ThreadSummary | undefined>(
			(best, one) => (best && best.updatedAt >= one.updatedAt ? best : one),
			undefined,
		);
}
