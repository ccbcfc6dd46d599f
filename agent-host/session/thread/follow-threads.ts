import type { ThreadId } from "../../protocol/ids.ts";
import type { Ports } from "../ports/ports.ts";
import type { LiveThread } from "./live-thread.ts";

/** How often the file of a thread that another process writes is looked at. */
const FOLLOW_MS = 500;

/** Publishes what another process adds to a thread, until it lets go of it. One thread at a time: the one last looked at. */
export interface Follower {
	/** The thread, to look at. From now on what another process adds to it is published. */
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	readonly stop: () => void;
}

interface Followed {
	readonly threadId: ThreadId;
	thread: LiveThread;
	/** Number of the last event that the client has, or can ask for. */
	seen: number;
	/** Length of the text in flight that was last published, and of which item. */
	live: string;
}

export function createFollower(
	ports: Pick<Ports, "setTimer" | "publish" | "now" | "log">,
	/** Opens the thread as it is now; this host's own as soon as nobody else holds it. */
	open: (threadId: ThreadId) => Promise<LiveThread>,
): Follower {
	let followed: Followed | undefined;
	let cancel: (() => void) | undefined;
	const stop = (): void => {
		followed = undefined;
		cancel?.();
	};
	const look = async (mine: Followed): Promise<void> => {
		// Only what was added is read; the whole thread only when its holder is gone or has begun another file.
		if ((await mine.thread.catchUp()) === "anew") mine.thread = await open(mine.threadId);
		if (mine !== followed) return;
		const events = await mine.thread.events.read({ after: mine.seen, limit: Number.MAX_SAFE_INTEGER });
		if (mine !== followed) return;
		mine.seen += events.length;
		for (const event of events) ports.publish(mine.threadId, event);
		publishLive(mine);
		if (mine.thread.refusal?.kind === "thread-busy") schedule(mine);
		else followed = undefined;
	};
	const publishLive = (mine: Followed): void => {
		const [live] = mine.thread.live();
		const mark = live === undefined ? "" : `${live.itemId} ${live.text.length}`;
		if (live === undefined || live.text === "" || mark === mine.live) return;
		mine.live = mark;
		const { turnId, itemId, itemKind, text } = live;
		const event = { type: "itemDelta", turnId, itemId, itemKind, offset: 0, text } as const;
		ports.publish(mine.threadId, { at: ports.now(), event });
	};
	const schedule = (mine: Followed): void => {
		cancel = ports.setTimer(FOLLOW_MS, () => {
			look(mine).catch((error: unknown) => ports.log("warning", `A thread is no longer followed: ${error}`));
		});
	};
	return {
		open: async (threadId) => {
			const mine = followed;
			if (mine?.threadId === threadId && (await mine.thread.catchUp()) === "done") {
				// The client asks for what came meanwhile itself.
				mine.seen = mine.thread.events.last();
				return mine.thread;
			}
			const thread = await open(threadId);
			stop();
			if (thread.refusal?.kind !== "thread-busy") return thread;
			followed = { threadId, thread, seen: thread.events.last(), live: "" };
			schedule(followed);
			return thread;
		},
		stop,
	};
}
