/** Nobody has read a question that has been there for less; whoever presses meant something else. */
export const GUARD_MS = 300;

/**
 * Refuses presses that were meant for what was in this place before. Times are those of the events themselves, so
 * that a press which waited in the browser's queue counts as made when it was made.
 */
export class PressGuard {
	#openFrom = Number.POSITIVE_INFINITY;
	#isPressRefused = false;

	/** The question has just been painted, here or in another place than before. */
	arm(now: number): void {
		this.#openFrom = now + GUARD_MS;
	}

	/** A pointer or key goes down. Gives whether that counts. */
	press(at: number): boolean {
		this.#isPressRefused = at < this.#openFrom;
		return !this.#isPressRefused;
	}

	/** A click counts only if the press that it ends did. */
	click(at: number): boolean {
		return !this.#isPressRefused && at >= this.#openFrom;
	}
}
