import type { ThreadEvent } from "../../../../agent-host/protocol/thread/events.ts";
import { Page } from "../../../../media/model/page.ts";
import type { FromWebview, ToWebview } from "../../../../media/wire.ts";
import { AThread } from "../../../page/a-thread.ts";

export interface APage {
	readonly page: Page;
	/** Messages posted since the last call. */
	readonly takePosted: () => readonly FromWebview[];
	/** What it would find again after a reload. */
	readonly saved: () => unknown;
	/** What the page of this chat in another place is given. */
	readonly kept: () => Pick<Extract<ToWebview, { readonly type: "restore" }>, "state" | "images">;
	/** Sends a thread to it, as the extension does when it is opened or comes again. */
	readonly load: (threadId: string, thread: AThread) => void;
}

/** The page's model with nothing around it; `saved` is what the page before it has left. */
export function aPage(saved?: unknown): APage {
	const posted: FromWebview[] = [];
	let stored = saved;
	let kept: { readonly state: unknown; readonly images: unknown } = { state: undefined, images: undefined };
	let ids = 0;
	const page = new Page({
		post: (message) => void posted.push(message),
		save: (state) => {
			stored = structuredClone(state);
		},
		keep: (state, images) => {
			kept = structuredClone({ state, images: images ?? kept.images });
		},
		saved,
		beforePaint: (draw) => draw(),
		now: () => 0,
		newId: () => `id-${++ids}`,
		readImage: async () => undefined,
		readText: async () => undefined,
		chime: () => undefined,
	});
	return {
		page,
		takePosted: () => posted.splice(0),
		saved: () => stored,
		kept: () => kept,
		load: (threadId, { events }) => {
			page.receive({ type: "thread", threadId, title: "" });
			page.receive({ type: "events", threadId, events: [...events], loading: false });
		},
	};
}

/** A thread whose only turn the user has stopped. */
export function aStoppedThread(...after: readonly Omit<ThreadEvent, "turnId">[]): AThread {
	const thread = new AThread().turn().ask("Work").add({ type: "turnCompleted", status: "interrupted" });
	for (const event of after) thread.add(event as never);
	return thread;
}
