import { HostError } from "../protocol/errors.ts";
import type { TurnId } from "../protocol/ids.ts";
import type { ParsedParamsOf } from "../protocol/method.ts";
import { quote } from "../protocol/say.ts";
import type { CompactionId, CompactionReport, threadCompact } from "../protocol/thread/compaction.ts";
import type { Item } from "../protocol/thread/item.ts";
import type { Session } from "../session/session.ts";
import type { Handlers } from "./handlers.ts";
import { settleTurn } from "./settle-turn.ts";
import type { TurnWatch } from "./turn-watch.ts";

/** What a compaction did, or would do. */
interface Compacted extends Pick<CompactionReport, "strategy" | "before" | "after" | "summary"> {
	readonly compactionId: CompactionId;
	/** Nothing has changed yet. */
	readonly preview: boolean;
}

type Card = Extract<Item, { readonly kind: "contextCompaction" }>;

interface CompactDesk {
	readonly session: Session;
	readonly handlers: Pick<Handlers, "threadCompact">;
	readonly watch: TurnWatch;
}

const STOPPED = "The compaction was stopped.";

/** Compacts a thread and waits until that is done, alone or inside its running turn; or previews it. */
export async function compactThread(
	{ session, handlers, watch }: CompactDesk,
	params: ParsedParamsOf<typeof threadCompact>,
	signal: AbortSignal,
): Promise<Compacted> {
	const { promise, resolve, reject } = Promise.withResolvers<Card>();
	// A failure is only looked at after the request was taken.
	promise.catch(() => undefined);
	let own: TurnId | undefined;
	let card: Card | undefined;
	let asked: CompactionId | undefined;
	let warned: string | undefined;
	let skipped: string | undefined;
	const stop = watch.follow(params.threadId, ({ event }) => {
		if (event.type === "turnStarted" && event.purpose === "compaction") own = event.turnId;
		if (event.type === "itemCompleted" && isCardOf(event.item, asked)) card = event.item;
		if (event.type === "compactionSkipped" && event.compactionId === asked) skipped = warned ?? STOPPED;
		// What directly precedes it says why.
		warned = event.type === "warning" ? event.message : undefined;
		// Inside a turn of the conversation it is over at once; one of its own must be over. A turn of the conversation
		// that ends first is followed by one that compacts, unless it was interrupted.
		const isOver = event.type === "turnCompleted" ? event.turnId === own : own === undefined;
		const isLost = event.type === "turnCompleted" && event.status === "interrupted";
		const isLeft = isLost && asked !== undefined && own === undefined;
		if (card !== undefined && isOver) resolve(card);
		else if (skipped !== undefined && isOver) reject(refuse(skipped));
		else if (event.type === "turnCompleted" && (isOver || isLeft)) reject(refuse(event.error?.message ?? STOPPED));
	});
	try {
		const { compactionId, preview } = await handlers.threadCompact(params, signal, () => undefined);
		asked = compactionId;
		const { strategy, before, after, summary } = preview ?? (await promise);
		return { compactionId, strategy, before, after, summary, preview: preview !== undefined };
	} finally {
		stop();
		if (own !== undefined) await settleTurn(session, params.threadId, own);
	}
}

function isCardOf(item: Item, compactionId: CompactionId | undefined): item is Card {
	return item.kind === "contextCompaction" && item.compactionId === compactionId;
}

function refuse(sentence: string): HostError {
	return new HostError("compaction-refused", quote(sentence));
}
