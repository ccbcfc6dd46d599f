/** Nobody can read a card in less time; an earlier press was meant for something else. */
export const GUARD_MS = 300;
/** The second press of a double click may come this late; it was meant for the card that was there before. */
export const REPLACED_MS = 600;

/**
 * Ignores presses that were meant for what was at this position before. Uses the timestamps of the events, so that a
 * press counts when it was made, even if it waited in the browser's queue.
 */
export class PressGuard {
	#openFrom = Number.POSITIVE_INFINITY;
	#isPressRefused = false;

	/** Call when the card has been painted, for the first time or at a new position. */
	arm(now: number, ms: number): void {
		this.#openFrom = now + ms;
	}

	/** Pointer or key down. Returns whether it counts. */
	press(at: number): boolean {
		this.#isPressRefused = at < this.#openFrom;
		return !this.#isPressRefused;
	}

	/** A click counts only if its press did. */
	click(at: number): boolean {
		return !this.#isPressRefused && at >= this.#openFrom;
	}
}
