import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { Ports } from "../ports/ports.ts";
import type { LiveThread } from "./live-thread.ts";

/** How often the file of a thread that another process writes is checked. */
const FOLLOW_MS = 500;

/** Publishes what another process adds to a thread, until it releases it. One thread at a time: the one opened last. */
export interface Follower {
	/** The thread, for reading. From now on additions of another process are published. */
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	readonly stop: () => void;
}

interface Followed {
	readonly threadId: ThreadId;
	thread: LiveThread;
	/** Number of the last event that the client has, or can ask for. */
	seen: number;
	/** The item in progress that was last published, and the length of its text. */
	live: string;
	/** Whether the last look failed. */
	hasFailed: boolean;
}

export function createFollower(
	ports: Pick<Ports, "setTimer" | "publish" | "now" | "log">,
	/** Opens the thread in its current state; it becomes this host's as soon as no other process holds it. */
	open: (threadId: ThreadId) => Promise<LiveThread>,
): Follower {
	let followed: Followed | undefined;
	let cancel: (() => void) | undefined;
	const stop = (): void => {
		followed = undefined;
		cancel?.();
	};
	const look = async (mine: Followed): Promise<void> => {
		// Only additions are read; the whole thread only if its holder is gone or has started another file.
		if ((await mine.thread.catchUp()) === "reopen") mine.thread = await open(mine.threadId);
		if (mine !== followed) return;
		const events = await mine.thread.events.read({ after: mine.seen, limit: Number.MAX_SAFE_INTEGER });
		if (mine !== followed) return;
		mine.hasFailed = false;
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
			look(mine).catch((error: unknown) => lookAgain(mine, error));
		});
	};
	/** A disk that fails once may work again; a thread that was deleted does not come back. */
	const lookAgain = (mine: Followed, error: unknown): void => {
		if (mine !== followed) return;
		if (!mine.hasFailed) ports.log("warning", `A thread of another window could not be read: ${error}`);
		mine.hasFailed = true;
		if (error instanceof HostError && error.kind === "thread-not-found") followed = undefined;
		else schedule(mine);
	};
	return {
		open: async (threadId) => {
			const mine = followed;
			if (mine?.threadId === threadId && (await mine.thread.catchUp()) === "done") {
				// The client requests the events in between.
				mine.seen = mine.thread.events.last();
				return mine.thread;
			}
			const thread = await open(threadId);
			stop();
			if (thread.refusal?.kind !== "thread-busy") return thread;
			followed = { threadId, thread, seen: thread.events.last(), live: "", hasFailed: false };
			schedule(followed);
			return thread;
		},
		stop,
	};
}
