import type { ThreadId } from "../../agent-host/protocol/ids.ts";

/** Where something goes that was sent: finds the thread, or begins it. */
export type Target = () => Promise<ThreadId>;

/** The thread of a chat. */
export interface ChatThread {
	readonly current: () => ThreadId | undefined;
	readonly select: (next: ThreadId | undefined) => void;
	/** The thread that the user is in now. What is sent in it goes there, whichever is open by then. */
	readonly here: () => Target;
	/** The thread that a page was in when it sent something; null for the chat while it was empty. */
	readonly there: (threadId: ThreadId | null) => Target;
}

export function createChatThread(options: {
	readonly first: ThreadId | undefined;
	readonly make: Target;
	/** Another one is open. */
	readonly changed: (threadId: ThreadId | undefined) => void;
	/** Shows a thread that was made for this chat. */
	readonly show: (threadId: ThreadId) => Promise<void>;
}): ChatThread {
	let open = options.first;
	const select = (next: ThreadId | undefined): void => {
		open = next;
		begin = beginOnce();
		if (next === undefined) beginEmpty = begin;
		options.changed(next);
	};
	/** For the chat while it is empty: all that is sent in it goes to one new thread. */
	const beginOnce = (): Target => {
		let coming: Promise<ThreadId> | undefined;
		const mine: Target = () => {
			coming ??= options.make().then(
				async (made) => {
					// The user may have opened another one.
					if (begin !== mine) return made;
					select(made);
					await options.show(made);
					return made;
				},
				(error: unknown) => {
					coming = undefined;
					throw error;
				},
			);
			return coming;
		};
		return mine;
	};
	let begin = beginOnce();
	/** For a page that does not know yet that the empty chat has begun, or is no longer open. */
	let beginEmpty = begin;
	return {
		current: () => open,
		select,
		here: () => {
			const now = open;
			return now === undefined ? begin : async () => now;
		},
		there: (threadId) => (threadId === null ? beginEmpty : async () => threadId),
	};
}
