import type { PublishedEvent } from "../../protocol/thread/events.ts";

/** Limit for characters that a client has not taken yet; beyond it, no more is read from a model. */
export const MAX_UNSENT_CHARS = 1_000_000;
/** Approximate size of an event besides its texts. */
const EVENT_CHARS = 300;

/** Knows how much of what was published has not left the process yet. */
export interface Outbox {
	/** Counts something until it is sent, or cannot be. */
	readonly add: (chars: number, sent: Promise<void>) => void;
	/** Waits while too much is unsent, or until `signal` aborts. Undefined if there is no need to wait. */
	readonly waitForDrain: (signal: AbortSignal) => Promise<void> | undefined;
}

export function createOutbox(): Outbox {
	const waiting = new Set<() => void>();
	let unsent = 0;
	const release = (chars: number): void => {
		unsent -= chars;
		if (unsent > MAX_UNSENT_CHARS) return;
		for (const resume of waiting) resume();
	};
	return {
		add: (chars, sent) => {
			unsent += chars;
			sent.then(
				() => release(chars),
				// A client that is gone blocks nothing; its closed pipe is noticed elsewhere.
				() => release(chars),
			);
		},
		waitForDrain: (signal) => {
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

/** Approximate size of an event in characters. */
export function estimateSize({ event }: PublishedEvent): number {
	if (event.type === "itemDelta") return event.text.length + EVENT_CHARS;
	if (event.type !== "itemStarted" && event.type !== "itemCompleted") return EVENT_CHARS;
	const texts = Object.values(event.item).filter((value) => typeof value === "string");
	return texts.reduce((sum, text) => sum + text.length, EVENT_CHARS);
}
