import type { PublishedEvent } from "../../protocol/thread/events.ts";

/** Characters on their way to a client that does not take them; beyond this nothing more is asked of a model. */
export const MAX_UNSENT_CHARS = 1_000_000;
/** What an event takes besides its texts, roughly. */
const EVENT_CHARS = 300;

/** Knows how much of what was published has not left the process yet. */
export interface Outbox {
	/** Counts something until it is sent, or cannot be. */
	readonly add: (chars: number, sent: Promise<void>) => void;
	/** Waits while too much is on its way, or until `signal` aborts. Undefined when there is room now. */
	readonly room: (signal: AbortSignal) => Promise<void> | undefined;
}

export function createOutbox(): Outbox {
	const waiting = new Set<() => void>();
	let unsent = 0;
	const settle = (chars: number): void => {
		unsent -= chars;
		if (unsent > MAX_UNSENT_CHARS) return;
		for (const resume of waiting) resume();
	};
	return {
		add: (chars, sent) => {
			unsent += chars;
			sent.then(
				() => settle(chars),
				// A client that is gone holds nobody up; that it is gone is noticed where its pipe closes.
				() => settle(chars),
			);
		},
		room: (signal) => {
			if (unsent <= MAX_UNSENT_CHARS || signal.aborted) return undefined;
			return new Promise((resolve) => {
				const resume = (): void => {
					waiting.delete(resume);
					signal.removeEventListener("abort", resume);
					resolve();
				};
				waiting.add(resume);
				signal.addEventListener("abort", resume);
			});
		},
	};
}

/** About how many characters an event takes on its way. */
export function sizeOf({ event }: PublishedEvent): number {
	if (event.type === "itemDelta") return event.text.length + EVENT_CHARS;
	if (event.type !== "itemStarted" && event.type !== "itemCompleted") return EVENT_CHARS;
	const texts = Object.values(event.item).filter((value) => typeof value === "string");
	return texts.reduce((sum, text) => sum + text.length, EVENT_CHARS);
}
