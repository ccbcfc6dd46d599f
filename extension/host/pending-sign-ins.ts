import * as z from "zod";

/** After this long nobody comes back from the browser. */
const WAIT_MS = 600_000;

/** What a service may send back; anything else in the query is dropped. */
const Returned = z.object({
	state: z.string().min(32).max(200),
	code: z.string().max(8_000).optional(),
	iss: z.string().max(2_000).optional(),
	error: z.string().max(200).optional(),
	/** The id that a service issues to us. */
	client_id: z.string().max(500).optional(),
});

/** Sign-ins that the browser has not come back from. */
export interface PendingSignIns {
	/** Waits for the browser; `ended` is called once, when it came back or does not count any more. */
	readonly begin: (state: string, ended: () => void) => void;
	/** The query of the sign-in; undefined if it is cancelled, too late, or was never begun. */
	readonly wait: (state: string) => Promise<string | undefined>;
	/** Takes what the browser brings; false if that belongs to no sign-in that was begun here. */
	readonly receive: (query: string) => boolean;
	readonly cancel: (state: string) => void;
	/** Cancels all of a host that has ended: nobody would take their answers. */
	readonly dropAll: () => void;
}

interface Pending {
	readonly answer: PromiseWithResolvers<string | undefined>;
	readonly ended: (() => void)[];
	isOver: boolean;
	readonly timer: NodeJS.Timeout;
}

export function createPendingSignIns(): PendingSignIns {
	const pending = new Map<string, Pending>();
	const end = (state: string, query?: string): void => {
		const found = pending.get(state);
		if (found === undefined || found.isOver) return;
		found.isOver = true;
		found.answer.resolve(query);
		for (const done of found.ended) done();
	};
	const forget = (state: string): void => {
		end(state);
		clearTimeout(pending.get(state)?.timer);
		pending.delete(state);
	};
	return {
		begin: (state, ended) => {
			const found = pending.get(state);
			if (found !== undefined) return void found.ended.push(ended);
			const answer = Promise.withResolvers<string | undefined>();
			const timer = setTimeout(() => forget(state), WAIT_MS);
			pending.set(state, { answer, ended: [ended], isOver: false, timer });
		},
		// The browser may be back before anybody waits.
		wait: async (state) => pending.get(state)?.answer.promise.finally(() => forget(state)),
		receive: (query) => {
			const given = Returned.safeParse(Object.fromEntries(new URLSearchParams(query))).data;
			if (given === undefined || pending.get(given.state)?.isOver !== false) return false;
			const kept = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined);
			end(given.state, new URLSearchParams(kept).toString());
			return true;
		},
		cancel: forget,
		dropAll: () => {
			for (const state of pending.keys()) forget(state);
		},
	};
}
