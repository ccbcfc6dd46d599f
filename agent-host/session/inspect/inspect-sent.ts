import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { findCacheBreak, nameServer, type Sent } from "../../model/cache-break.ts";
import { compareDigests, digestRequest } from "../../model/request-digest.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { CacheBreak } from "../../protocol/thread/cache-break.ts";
import type { ContextInspected } from "../../protocol/thread/context.ts";
import type { Home } from "../../store/home/home.ts";
import { type RecordedRequest, replayRequests } from "../thread/replay-thread.ts";
import {
	countCached,
	countCompacted,
	createTurnFinder,
	describeBounds,
	describeInput,
	fixedParts,
} from "./inspect-next.ts";
import type { Shown } from "./inspect-raw.ts";

/** A sent request, rebuilt from the records: counted from 1, or from the newest back with -1. */
export async function inspectSent(
	home: Home,
	threadId: ThreadId,
	wanted: number,
	toRaw?: (shown: Shown) => Promise<{ readonly raw: string }>,
): Promise<ContextInspected> {
	let of = 0;
	await replayRequests(home, threadId, () => {
		of += 1;
	});
	const number = wanted < 0 ? of + 1 + wanted : wanted;
	let before: Sent | undefined;
	let found: { readonly inspected: ContextInspected; readonly shown: Shown } | undefined;
	let at = 0;
	let counted: { readonly cacheBreak?: CacheBreak | undefined } | undefined;
	await replayRequests(
		home,
		threadId,
		(recorded) => {
			at += 1;
			if (at === number - 1) before = asSent(recorded);
			if (at === number) found = describeSent(recorded, before, { number, of });
		},
		(usage) => {
			// A compaction counts once more after the answer.
			if (at === number) counted ??= usage;
		},
	);
	if (found === undefined) throw new HostError("input-refused", say("no-such-request", { request: wanted, of }));
	const cacheMiss = counted?.cacheBreak;
	return { ...found.inspected, ...(cacheMiss && { cacheMiss }), ...(await toRaw?.(found.shown)) };
}

function describeSent(
	recorded: RecordedRequest,
	before: Sent | undefined,
	place: { readonly number: number; readonly of: number },
): { readonly inspected: ContextInspected; readonly shown: Shown } {
	const { state, turnId, digest } = recorded;
	const sent = asSent(recorded);
	const { request } = sent;
	const envelope = readEnvelope(state);
	const fixed = fixedParts(request);
	const parts = [...fixed, ...request.input.map(describeInput)];
	const common = Math.min(before?.request.input.length ?? 0, request.input.length);
	const cached =
		before === undefined ? 0 : countCached(findCacheBreak(before, sent), fixed.length, fixed.length + common);
	const findTurn = createTurnFinder(state, fixed.length);
	const items = parts.map((part, index) => ({
		index,
		...part,
		cached: index < cached,
		estimated: true,
		...findTurn(index),
	}));
	const isExact = compareDigests(digestRequest(request), digest).length === 0;
	const inspected = {
		items,
		...describeBounds(
			envelope,
			items.reduce((sum, { tokens }) => sum + tokens, 0),
		),
		...countCompacted(state),
		...(cached === parts.length ? {} : { firstUncached: cached }),
		request: { ...place, turnId, isExact },
	};
	return { inspected, shown: { identity: envelope.identity, request } };
}

function asSent({ state, make }: RecordedRequest): Sent {
	const compaction = state.lastCompaction?.compactionId;
	return { request: make(), server: nameServer(readEnvelope(state).identity), compaction };
}

/** Complete after the rebuild: the fields that records leave out are not read here. */
function readEnvelope({ envelope }: RecordedRequest["state"]): TurnEnvelope {
	return envelope as unknown as TurnEnvelope;
}
