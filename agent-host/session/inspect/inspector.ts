import type { ServerKnowledge } from "../../model/wires/connection/server.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { ParsedParamsOf, ResultOf } from "../../protocol/method.ts";
import type { contextInspect, policyShow } from "../../protocol/thread/context.ts";
import type { Home } from "../../store/home/home.ts";
import { findUnfollowed } from "../../workspace/load-instructions.ts";
import type { NextTurn } from "../start/seal-turn.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import type { Compile } from "./compile-policy.ts";
import { inspectContext, nextRequest, showNextTurn } from "./inspect-next.ts";
import { type Inspection, rawBody, type Shown } from "./inspect-raw.ts";
import { inspectSent } from "./inspect-sent.ts";

/** What the user can inspect: requests, and the policy of the next one. */
export interface Inspector {
	/** A sent request, or the next one as it would be sent if a turn began now. */
	readonly inspect: (threadId: ThreadId, which?: Inspection) => Promise<ResultOf<typeof contextInspect>>;
	readonly showPolicy: (params: ParsedParamsOf<typeof policyShow>) => Promise<ResultOf<typeof policyShow>>;
}

export function createInspector(options: {
	readonly home: Home;
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	readonly sealNext: (threadId: ThreadId | undefined) => Promise<NextTurn>;
	readonly compile: Compile;
	readonly servers: ServerKnowledge;
}): Inspector {
	const { home, open, sealNext, compile, servers } = options;
	return {
		async inspect(threadId, { request, raw } = {}) {
			const toRaw = raw ? (shown: Shown) => rawBody(shown, servers) : undefined;
			if (request !== undefined) return inspectSent(home, threadId, request, toRaw);
			const { envelope } = await sealNext(threadId);
			const thread = await open(threadId);
			// Load externalized texts first.
			await thread.readHistory();
			const { cwd, roots, trusted } = envelope.workspace;
			const notFollowed = trusted || cwd === undefined ? [] : await findUnfollowed(cwd, roots);
			return {
				...inspectContext(thread.state(), envelope),
				...(await toRaw?.({ identity: envelope.identity, request: nextRequest(thread.state(), envelope) })),
				...(notFollowed.length > 0 && { notFollowed: [...notFollowed] }),
			};
		},
		async showPolicy({ threadId, compiled }) {
			const next = await sealNext(threadId);
			const thread = threadId === undefined ? undefined : await open(threadId);
			// Load externalized texts first, to count them.
			await thread?.readHistory();
			const shown = showNextTurn({ ...next, state: thread?.state() ?? next.state });
			const told = compiled ? await compile(next.envelope, threadId) : undefined;
			return told === undefined ? shown : { ...shown, compiled: [...told] };
		},
	};
}
