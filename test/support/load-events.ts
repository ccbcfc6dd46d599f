import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import type { Disk } from "../../agent-host/store/home/disk.ts";
import { openBlobs } from "../../agent-host/store/log/blobs.ts";
import { type LoadedThread, loadThread } from "../../agent-host/store/log/load-thread.ts";
import type { ThreadState } from "../../agent-host/store/records/thread-state.ts";

/** A thread as a host that opens it would find it, with all its events. */
export async function loadWhole(
	disk: Disk,
	path: string,
): Promise<{
	readonly loaded: LoadedThread;
	readonly state: ThreadState | undefined;
	readonly events: readonly PublishedEvent[];
}> {
	const loaded = await loadThread(disk, path, openBlobs(disk, path));
	const events = await loaded.events.read({ after: 0, limit: Number.MAX_SAFE_INTEGER });
	return { loaded, state: loaded.state, events };
}
