import type { ThreadId } from "../protocol/ids.ts";
import type { LiveThread } from "./live-thread.ts";
import type { Ports } from "./ports.ts";

/** How often the file of a thread that another process writes is looked at. */
const FOLLOW_MS = 500;

/** Publishes what another process adds to a thread, until it lets go of it. One thread at a time: the one last looked at. */
export interface Follower {
	readonly follow: (threadId: ThreadId, seen: number) => void;
	readonly stop: () => void;
}

export function createFollower(
	ports: Pick<Ports, "later" | "publish" | "now" | "log">,
	/** Opens the thread as it is now; this host's own as soon as nobody else holds it. */
	open: (threadId: ThreadId) => Promise<LiveThread>,
): Follower {
	let round = 0;
	let cancel: (() => void) | undefined;
	const look = async (mine: number, threadId: ThreadId, seen: number): Promise<void> => {
		const thread = await open(threadId);
		if (mine !== round) return;
		const events = await thread.events.read(seen, Number.MAX_SAFE_INTEGER);
		if (mine !== round) return;
		for (const event of events) ports.publish(threadId, event);
		const live = thread.live();
		if (live !== undefined && live.text !== "") {
			const { turnId, itemId, itemKind, text } = live;
			ports.publish(threadId, {
				at: ports.now(),
				event: { type: "itemDelta", turnId, itemId, itemKind, offset: 0, text },
			});
		}
		if (thread.refusal?.kind === "thread-busy") schedule(mine, threadId, seen + events.length);
	};
	const schedule = (mine: number, threadId: ThreadId, seen: number): void => {
		cancel = ports.later(FOLLOW_MS, () => {
			look(mine, threadId, seen).catch((error: unknown) =>
				ports.log("warning", `A thread is no longer followed: ${error}`),
			);
		});
	};
	const stop = (): void => {
		round += 1;
		cancel?.();
	};
	return {
		follow: (threadId, seen) => {
			stop();
			schedule(round, threadId, seen);
		},
		stop,
	};
}
