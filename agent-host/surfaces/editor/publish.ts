import type { ThreadId } from "../../protocol/ids.ts";
import type { PublishedEvent } from "../../protocol/thread/events.ts";

/** Text of one item is sent at most this often … */
const FLUSH_MS = 16;
/** … or when this much has gathered. */
const FLUSH_CHARS = 8_192;

type Delta = Extract<PublishedEvent["event"], { type: "itemDelta" }>;
type Send = (threadId: ThreadId, event: PublishedEvent) => void;

interface Gathered {
	readonly first: Delta;
	readonly at: number;
	readonly parts: string[];
	chars: number;
	readonly timer: NodeJS.Timeout;
}

/** Sends events, joining small pieces of streamed text. Order is kept: nothing overtakes a delta. */
export function createPublisher(send: Send): { readonly publish: Send; readonly flush: () => void } {
	const gathered = new Map<ThreadId, Gathered>();
	const flushThread = (threadId: ThreadId): void => {
		const entry = gathered.get(threadId);
		if (entry === undefined) return;
		gathered.delete(threadId);
		clearTimeout(entry.timer);
		send(threadId, { at: entry.at, event: { ...entry.first, text: entry.parts.join("") } });
	};
	const gather = (threadId: ThreadId, at: number, delta: Delta): void => {
		let entry = gathered.get(threadId);
		if (entry !== undefined && !continues(entry, delta)) {
			flushThread(threadId);
			entry = undefined;
		}
		if (entry === undefined) {
			const timer = setTimeout(flushThread, FLUSH_MS, threadId);
			entry = { first: delta, at, parts: [], chars: 0, timer };
			gathered.set(threadId, entry);
		}
		entry.parts.push(delta.text);
		entry.chars += delta.text.length;
		if (entry.chars >= FLUSH_CHARS) flushThread(threadId);
	};
	return {
		publish: (threadId, published) => {
			if (published.event.type === "itemDelta") return gather(threadId, published.at, published.event);
			flushThread(threadId);
			send(threadId, published);
		},
		flush: () => {
			for (const threadId of [...gathered.keys()]) flushThread(threadId);
		},
	};
}

/** A text that lost its beginning starts over at offset 0. */
function continues({ first, chars }: Gathered, delta: Delta): boolean {
	return first.itemId === delta.itemId && delta.offset === first.offset + chars;
}
