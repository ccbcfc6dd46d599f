import type { ParsedParamsOf, ResultOf } from "../protocol/method.ts";
import type { fileFind } from "../protocol/thread/mentions.ts";
import { type Listing, listPlaces, type Scope } from "./list-places.ts";

/** A list of this age is used once more, while a new one is made. */
const FRESH_MS = 3_000;
/** Listing takes at most a tenth of the time. */
const REST = 10;
/** Threads whose lists are kept: two panels may ask in turn while a large workspace is listed. */
const MAX_LISTS = 2;
/** How long the first queries wait, from when listing began: in a small workspace the first answer is the whole one. */
const BEGIN_MS = 10;
/** How long a query waits that asks for it. */
const WAIT_MS = 500;

type Params = ParsedParamsOf<typeof fileFind>;
export type FindFiles = (params: Params) => Promise<ResultOf<typeof fileFind>>;

/** The list of one thread. */
interface Held {
	listing: Promise<Listing>;
	/** Ends a moment after listing began, or with it. */
	readonly begun: Promise<void>;
	isRenewing: boolean;
}

/** Finds files by a few letters. Lists nothing before the first query, and answers from what is listed so far. */
export function createFindFiles(
	scopeOf: (threadId: Params["threadId"]) => Promise<Scope>,
	now: () => number,
): FindFiles {
	const lists = new Map<Params["threadId"], Held>();
	const make = async (threadId: Params["threadId"]): Promise<Listing> => listPlaces(await scopeOf(threadId), now);
	const begin = (threadId: Params["threadId"]): Held => {
		const listing = make(threadId);
		const begun = listing.then(({ listed }) => Promise.race([listed, passed(BEGIN_MS)]));
		// A query that waits for it gets the error.
		begun.catch(() => undefined);
		return { listing, begun, isRenewing: false };
	};
	const hold = (threadId: Params["threadId"]): Held => {
		const held = lists.get(threadId) ?? begin(threadId);
		lists.delete(threadId);
		lists.set(threadId, held);
		for (const key of [...lists.keys()].slice(0, -MAX_LISTS)) lists.delete(key);
		return held;
	};
	const renew = async (threadId: Params["threadId"], held: Held): Promise<void> => {
		held.isRenewing = true;
		try {
			const listing = await make(threadId);
			await listing.listed;
			held.listing = Promise.resolve(listing);
		} catch {
			// The old list is still there, and the next query tries again.
		} finally {
			held.isRenewing = false;
		}
	};
	return async ({ threadId, query, limit, wait }) => {
		const held = hold(threadId);
		try {
			const listing = await held.listing;
			await (wait && !listing.state().whole ? Promise.race([listing.listed, passed(WAIT_MS)]) : held.begun);
			const { whole, cut } = listing.state();
			const isOld = whole !== undefined && now() - whole.at > Math.max(FRESH_MS, REST * whole.tookMs);
			if (isOld && !held.isRenewing) void renew(threadId, held);
			const files = await listing.find(query, limit);
			return { files, isWhole: whole !== undefined, ...(cut === undefined ? {} : { cut }) };
		} catch (error) {
			// A failed listing is retried by the next query.
			if (lists.get(threadId) === held) lists.delete(threadId);
			throw error;
		}
	};
}

function passed(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
