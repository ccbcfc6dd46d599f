import type { PublishedEvent } from "../../agent-host/protocol/events.ts";
import type { Disk } from "../../agent-host/store/disk.ts";
import { createEventLog } from "../../agent-host/store/event-log.ts";
import { replay, type ThreadState } from "../../agent-host/store/replay.ts";
import { type LoadedThread, loadThread } from "../../agent-host/store/segments.ts";

/** A thread as a host that opens it would find it, with all its events. */
export async function loadWhole(
	disk: Disk,
	path: string,
): Promise<{
	readonly loaded: LoadedThread;
	readonly state: ThreadState | undefined;
	readonly events: readonly PublishedEvent[];
}> {
	const loaded = await loadThread(disk, path);
	const events = await createEventLog(disk, loaded.events).read(0, Number.MAX_SAFE_INTEGER);
	return { loaded, state: replay(loaded), events };
}
