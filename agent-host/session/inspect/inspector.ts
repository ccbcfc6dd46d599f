import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { findCacheBreak, nameServer } from "../../model/cache-break.ts";
import type { ModelRequest } from "../../model/port.ts";
import type { ServerKnowledge } from "../../model/wires/connection/server.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { ParsedParamsOf, ResultOf } from "../../protocol/method.ts";
import type { CacheBreak } from "../../protocol/thread/cache-break.ts";
import type { contextInspect, policyShow } from "../../protocol/thread/context.ts";
import type { instructionsLint } from "../../protocol/thread/instructions.ts";
import type { Home } from "../../store/home/home.ts";
import { readableUnder } from "../../workspace/files/readable.ts";
import { findUnfollowed } from "../../workspace/instructions/load-instructions.ts";
import type { BringsAlong } from "../brought/brought.ts";
import type { Review } from "../changes/review-changes.ts";
import type { NextTurn } from "../start/seal-turn.ts";
import { readIdentity } from "../thread/last-envelope.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import type { Compile } from "./compile-policy.ts";
import { foreseeTold, inspectContext, nextRequest, showNextTurn } from "./inspect-next.ts";
import { type Inspection, rawBody, type Shown } from "./inspect-raw.ts";
import { inspectSent } from "./inspect-sent.ts";
import { lintInstructions } from "./lint-instructions.ts";
import { listSources } from "./list-sources.ts";
import { readTyped, type Typed } from "./read-typed.ts";

/** What the user can inspect: requests, and the policy of the next one. */
export interface Inspector {
	/** A sent request, or the next one as it would be sent if a turn began now. */
	readonly inspect: (threadId: ThreadId, which?: Inspection) => Promise<ResultOf<typeof contextInspect>>;
	/** What the instructions of the next turn cost, and what is wrong with them. */
	readonly lintInstructions: (
		threadId: ThreadId | undefined,
		signal: AbortSignal,
	) => Promise<ResultOf<typeof instructionsLint>>;
	readonly showPolicy: (params: ParsedParamsOf<typeof policyShow>) => Promise<ResultOf<typeof policyShow>>;
}

export function createInspector(options: {
	readonly home: Home;
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	readonly sealNext: (threadId: ThreadId | undefined, input?: Typed) => Promise<NextTurn>;
	/** The next turn as if nothing were switched off in the thread. */
	readonly sealWithAll: (threadId: ThreadId) => Promise<NextTurn>;
	readonly compile: Compile;
	readonly servers: ServerKnowledge;
	readonly brings: Pick<BringsAlong, "findUnfollowed">;
	readonly review: Pick<Review, "foresee">;
	/** Names of instruction files that stand in for an AGENTS.md. */
	readonly fallbacks: () => readonly string[];
}): Inspector {
	const { home, open, sealNext, sealWithAll, compile, servers, brings, review, fallbacks } = options;
	return {
		async inspect(threadId, { request, raw, input = [] } = {}) {
			const toRaw = raw ? (shown: Shown) => rawBody(shown, servers) : undefined;
			if (request !== undefined) return inspectSent(home, threadId, request, toRaw);
			const { envelope } = await sealNext(threadId, input);
			const thread = await open(threadId);
			// Load externalized texts first.
			await thread.readHistory();
			const { cwd, roots, trusted } = envelope.workspace;
			const readable = readableUnder(envelope.policy.value);
			const notFollowed =
				trusted || cwd === undefined
					? []
					: [
							...(await findUnfollowed(cwd, roots, fallbacks())),
							...(await brings.findUnfollowed({ cwd, roots, readable })),
						];
			const told = foreseeTold(thread.state(), envelope, await review.foresee(thread));
			const next = nextRequest(thread.state(), envelope, { told, ...(await readTyped(input, envelope)) });
			const cacheMiss = foreseeCacheMiss(thread, envelope, next.request);
			const sources = listSources(await sealWithAll(threadId), envelope.capabilities.off ?? []);
			return {
				...inspectContext(thread.state(), envelope, next, cacheMiss),
				...(sources.length > 0 && { sources }),
				...(cacheMiss && { cacheMiss }),
				...(await toRaw?.({ identity: envelope.identity, request: next.request })),
				...(notFollowed.length > 0 && { notFollowed: [...notFollowed] }),
			};
		},
		async lintInstructions(threadId, signal) {
			const { envelope, problems } = await sealNext(threadId);
			return lintInstructions(envelope, problems, signal);
		},
		async showPolicy({ threadId, compiled }) {
			const next = await sealNext(threadId);
			const thread = threadId === undefined ? undefined : await open(threadId);
			// Load externalized texts first, to count them.
			await thread?.readHistory();
			const reviewed = thread === undefined ? [] : await review.foresee(thread);
			const state = thread?.state() ?? next.state;
			const shown = showNextTurn({ ...next, state }, foreseeTold(state, next.envelope, reviewed));
			const options = compiled ? await compile(next.envelope, threadId) : undefined;
			return options === undefined ? shown : { ...shown, compiled: [...options] };
		},
	};
}

/** Why the cache cannot help with the next request. After a restart only the recipient of the last one is known. */
function foreseeCacheMiss(
	{ lastSent, state }: LiveThread,
	{ identity }: TurnEnvelope,
	request: ModelRequest,
): CacheBreak | undefined {
	const { history, envelope, lastCompaction } = state();
	if (lastSent !== undefined) {
		const compaction = lastCompaction?.compactionId;
		return findCacheBreak(lastSent, { request, server: nameServer(identity), compaction });
	}
	const before = readIdentity(envelope);
	const isSame = before?.model === identity.model && nameServer(before) === nameServer(identity);
	return history.length > 0 && !isSame ? { reason: "model", part: "model" } : undefined;
}
