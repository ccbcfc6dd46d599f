import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { threadRead, threadResume } from "../../agent-host/protocol/thread/thread.ts";
import type { ToWebview } from "../../media/wire.ts";
import type { HostClient, ThreadEventParams } from "../host/host-client.ts";

const PAGE_EVENTS = 2_000;

/** Sends one thread to the page: recorded events, streaming texts, then everything new. */
export interface ThreadFeed {
	/**
	 * Shows a thread from its start; undefined shows an empty one. A later call supersedes an earlier one. "begun": it has
	 * begun in this chat.
	 */
	readonly show: (threadId: ThreadId | undefined, how?: "begun") => Promise<void>;
	/** Says which thread comes next, for a page that has just loaded or that shows another one. */
	readonly announce: (threadId: ThreadId | undefined, how?: "begun") => void;
	readonly receive: (event: ThreadEventParams) => void;
}

export function createThreadFeed(host: HostClient, post: (message: ToWebview) => void): ThreadFeed {
	let shown: ThreadId | undefined;
	/** Events that arrive while recorded ones are still being read. */
	let held: PublishedEvent[] | undefined;
	let load = 0;
	/** The thread that the page is in. */
	let announced: ThreadId | undefined;
	const announce: ThreadFeed["announce"] = (threadId, how) => {
		announced = threadId;
		if (threadId !== undefined) post({ type: "opening", threadId, ...(how === "begun" && { begun: true }) });
	};
	const send = async (threadId: ThreadId, mine: number): Promise<void> => {
		await host.request(threadResume, { threadId });
		for (let after = 0; ; ) {
			const page = await host.request(threadRead, { threadId, after, limit: PAGE_EVENTS, cut: true });
			if (mine !== load) return;
			if (after === 0) post({ type: "thread", threadId, title: page.title });
			after += page.events.length;
			const loading = after < page.last && page.events.length > 0;
			const { events } = page;
			const live = page.live === undefined || loading ? [] : [page.live, ...(page.others ?? [])];
			post({ type: "events", threadId, events, loading, live });
			if (!loading) break;
		}
		const missed = held ?? [];
		held = undefined;
		if (missed.length > 0) post({ type: "events", threadId, events: missed, loading: false });
	};
	return {
		announce,
		async show(threadId, how) {
			load += 1;
			const mine = load;
			shown = threadId;
			if (threadId === undefined) {
				held = undefined;
				announced = undefined;
				post({ type: "thread", threadId: null, title: "" });
				return;
			}
			if (announced !== threadId) announce(threadId, how);
			held = [];
			try {
				await send(threadId, mine);
			} catch (error) {
				// What happens next is not kept from the page: it notices what it lacks, and asks for the thread again.
				if (mine === load) held = undefined;
				throw error;
			}
		},
		receive({ threadId, ...event }) {
			if (threadId !== shown) return;
			if (held !== undefined) held.push(event);
			else post({ type: "events", threadId, events: [event], loading: false });
		},
	};
}

/** All arguments of the call that an event is about; undefined if it is about none. */
export async function readArguments(host: HostClient, threadId: ThreadId, seq: number): Promise<string | undefined> {
	const { events } = await host.request(threadRead, { threadId, after: seq - 1, limit: 1 });
	const event = events.find((one) => one.seq === seq)?.event;
	return event !== undefined && "item" in event && isCall(event.item) ? event.item.arguments : undefined;
}

/** All recorded events of a thread. */
export async function readEvents(host: HostClient, threadId: ThreadId): Promise<PublishedEvent[]> {
	const all: PublishedEvent[] = [];
	for (;;) {
		const { events, last } = await host.request(threadRead, { threadId, after: all.length, limit: PAGE_EVENTS });
		all.push(...events);
		if (all.length >= last || events.length === 0) return all;
	}
}
